//go:build unix

package files

import "syscall"

// NonBlock makes the opening of a pipe return at once.
const NonBlock = syscall.O_NONBLOCK
