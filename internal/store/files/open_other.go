//go:build !unix

package files

// NonBlock makes the opening of a pipe return at once. Names of files here are none of
// pipes.
const NonBlock = 0
