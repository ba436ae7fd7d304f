package codec

import "reflect"

// Types are the types of all messages that travel between nodes, by number: each
// message is a pointer to one. Tests and experiments that make messages of every
// kind take them from here, so that a new kind is among them.
func Types() (out []reflect.Type) {
	for _, k := range byNumber {
		if k != nil {
			out = append(out, k.typ.Elem())
		}
	}
	return out
}
