// Package host puts a node, its drivers and its gateway together: what
// `voxelpopuli play`, the tests and the lab run. It also keeps the data folder
// (docs/architecture.md "Where things are written") and knows how to say to a
// person what went wrong.
package host
