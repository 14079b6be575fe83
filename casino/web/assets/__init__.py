"""Static files, scripts and style sheets as browsers receive them."""
