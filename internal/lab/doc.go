// Package lab holds the project's experiments: scenarios that are run, measured
// and put beside the figures of the sources (docs/results.md). Every number
// that the project shows comes from here and can be made again with one
// command, `vplab run NAME`.
//
// An Experiment declares its settings with their defaults and is given a Trial,
// which collects metrics, tables, plots and pictures. Experiments that are
// marked as deterministic give the same bytes for the same seed and settings;
// the others measure this machine and say so.
package lab
