/* Lets the n-th file call of one kind fail, from when it is armed on. Built and preloaded by test_deep_failing_calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static char wanted[16];
static int left, code, half, lasting, fired;

/* kind: open, create, write, fsync, rename, unlink, mkdir, truncate. short_write: write half and say so. */
void failing_arm(const char *kind, int nth, int error, int short_write, int forever) {
    strncpy(wanted, kind, sizeof wanted - 1);
    left = nth, code = error, half = short_write, lasting = forever, fired = 0;
}

int failing_disarm(void) { wanted[0] = 0; return fired; }

static int hit(const char *kind) {
    if (!wanted[0] || strcmp(kind, wanted)) return 0;
    if (left > 1) return left--, 0;
    if (left < 1 && !lasting) return 0;
    left = 0;
    fired++;
    return 1;
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define FAIL(kind) do { if (hit(kind)) { errno = code; return -1; } } while (0)
#define MODE(flags) mode_t mode = 0; if ((flags) & (O_CREAT | __O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }

int open(const char *path, int flags, ...) { MODE(flags) REAL(open); FAIL(flags & O_CREAT ? "create" : "open"); return real(path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) REAL(open64); FAIL(flags & O_CREAT ? "create" : "open"); return real(path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE(flags) REAL(openat); FAIL(flags & O_CREAT ? "create" : "open"); return real(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE(flags) REAL(openat64); FAIL(flags & O_CREAT ? "create" : "open"); return real(at, path, flags, mode); }

ssize_t write(int fd, const void *data, size_t size) {
    REAL(write);
    if (fd > 2 && hit("write")) {
        if (half && size > 1) return real(fd, data, size / 2);
        errno = code;
        return -1;
    }
    return real(fd, data, size);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { REAL(pwrite); FAIL("write"); return real(fd, data, size, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) { REAL(pwrite64); FAIL("write"); return real(fd, data, size, at); }
int fsync(int fd) { REAL(fsync); FAIL("fsync"); return real(fd); }
int fdatasync(int fd) { REAL(fdatasync); FAIL("fsync"); return real(fd); }
int rename(const char *from, const char *to) { REAL(rename); FAIL("rename"); return real(from, to); }
int renameat(int from_at, const char *from, int to_at, const char *to) { REAL(renameat); FAIL("rename"); return real(from_at, from, to_at, to); }
int unlink(const char *path) { REAL(unlink); FAIL("unlink"); return real(path); }
int unlinkat(int at, const char *path, int flags) { REAL(unlinkat); FAIL("unlink"); return real(at, path, flags); }
int rmdir(const char *path) { REAL(rmdir); FAIL("unlink"); return real(path); }
int mkdir(const char *path, mode_t mode) { REAL(mkdir); FAIL("mkdir"); return real(path, mode); }
int mkdirat(int at, const char *path, mode_t mode) { REAL(mkdirat); FAIL("mkdir"); return real(at, path, mode); }
int ftruncate(int fd, off_t size) { REAL(ftruncate); FAIL("truncate"); return real(fd, size); }
int ftruncate64(int fd, off64_t size) { REAL(ftruncate64); FAIL("truncate"); return real(fd, size); }
