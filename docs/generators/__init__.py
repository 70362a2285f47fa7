"""What the site shows of the library, made from the library: a page and a plot for every element and every case."""
