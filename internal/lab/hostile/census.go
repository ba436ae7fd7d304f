package hostile

import (
	"reflect"
	"unsafe"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Census counts the elements of all maps, lists and buffers that can be reached
// from a value, by the type and the field that they are in. What grows while
// somebody says nonsense is found by comparing two of them. It must not run at the
// same time as what changes the value.
func Census(root any) map[string]int {
	c := census{out: map[string]int{}, seen: map[visit]bool{}}
	c.count(reflect.ValueOf(root), reflect.TypeOf(root).String(), 0)
	return c.out
}

type visit struct {
	at unsafe.Pointer
	t  reflect.Type
}

type census struct {
	out  map[string]int
	seen map[visit]bool
}

// envType is what machines know of their drivers, which do other things meanwhile.
var envType = reflect.TypeFor[machine.Env]()

// shared reports whether others may use a struct at the same time: it has a lock.
func shared(t reflect.Type) bool {
	for i := range t.NumField() {
		if p := t.Field(i).Type.PkgPath(); p == "sync" || p == "sync/atomic" {
			return true
		}
	}
	return false
}

// deepest bounds how deep a value is looked into.
const deepest = 60

func (c *census) count(v reflect.Value, where string, depth int) {
	if depth > deepest || !v.IsValid() {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		at := visit{v.UnsafePointer(), v.Type()}
		if v.IsNil() || c.seen[at] {
			return
		}
		c.seen[at] = true
		c.count(v.Elem(), where, depth+1)
	case reflect.Interface:
		if v.Type() != envType {
			c.count(v.Elem(), where, depth+1)
		}
	case reflect.Struct:
		if shared(v.Type()) {
			return
		}
		for i := range v.NumField() {
			c.count(v.Field(i), v.Type().String()+"."+v.Type().Field(i).Name, depth+1)
		}
	case reflect.Map:
		c.out[where] += v.Len()
		for i := v.MapRange(); i.Next(); {
			c.count(i.Value(), where, depth+1)
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice {
			c.out[where] += v.Len()
		}
		switch v.Type().Elem().Kind() {
		case reflect.Pointer, reflect.Interface, reflect.Struct, reflect.Map, reflect.Slice, reflect.Array:
			for i := range v.Len() {
				c.count(v.Index(i), where, depth+1)
			}
		}
	}
}
