//go:build race

package simtest

const race = true
