// Package timewarp has the experiment in which nodes exchange only what players do,
// with local lag and Time Warp (thesis 3.1).
package timewarp
