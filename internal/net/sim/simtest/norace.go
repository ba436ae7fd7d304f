//go:build !race

package simtest

const race = false
