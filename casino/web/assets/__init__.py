"""Static files: bundled, minified and compressed scripts and style sheets."""
