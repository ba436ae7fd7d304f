// Package linklab has the experiments with players on bad lines and behind routers:
// how soon a link leads into a world, and how play feels while packets are lost.
package linklab
