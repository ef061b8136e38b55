"""The embedded default backend: deterministic rules over what people said, English and Chinese, no network."""
