package hostile

import (
	"reflect"
	"time"
	"unsafe"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Census counts the elements of all maps, lists and buffers that can be reached from a
// value, by the type and the field that they are in. What grows while somebody sends
// invalid messages is found by comparing two of them.
//
// It works in slices, between which whatever has the value goes on: only a slice must
// not run at the same time. What changes in between is counted as it was when its turn
// came, or not at all.
type Census struct {
	counts map[*place]int
	seen   map[visit]bool
	stack  []frame // from the root to the value that is next
	types  map[reflect.Type]*typeInfo
}

// NewCensus begins a census of all that can be reached from a pointer.
func NewCensus(root any) *Census {
	c := &Census{counts: map[*place]int{}, seen: map[visit]bool{}, types: map[reflect.Type]*typeInfo{}}
	c.push(reflect.ValueOf(root), &place{reflect.TypeOf(root), ""})
	return c
}

// Count goes on with the census for about so long, and reports whether it is complete.
func (c *Census) Count(slice time.Duration) bool {
	for end := time.Now().Add(slice); len(c.stack) > 0; {
		for range stepsPerLook {
			if len(c.stack) == 0 {
				return true
			}
			c.step()
		}
		if time.Now().After(end) {
			break
		}
	}
	return len(c.stack) == 0
}

// stepsPerLook is how many elements are counted between two looks at the clock.
const stepsPerLook = 64

// Counts are the elements that were counted.
func (c *Census) Counts() map[string]int {
	out := make(map[string]int, len(c.counts))
	for p, n := range c.counts {
		out[p.String()] += n
	}
	return out
}

// place is a field of a type, or a type.
type place struct {
	t     reflect.Type
	field string
}

func (p *place) String() string {
	if p.field == "" {
		return p.t.String()
	}
	return p.t.String() + "." + p.field
}

// visit is a pointer that was followed.
type visit struct {
	at unsafe.Pointer
	t  reflect.Type
}

// frame is a struct, list or map whose elements are being looked into.
type frame struct {
	v     reflect.Value
	where *place
	next  int              // the field or element that is next
	iter  *reflect.MapIter // of a map: an iterator goes on when the map has changed
}

// typeInfo is what is known of a type.
type typeInfo struct {
	opaque bool     // nothing within is counted
	fields []*place // of a struct
}

// envType is what machines know of their drivers, which do other things meanwhile.
var envType = reflect.TypeFor[machine.Env]()

// info returns what is known of a type.
func (c *Census) info(t reflect.Type) *typeInfo {
	i := c.types[t]
	if i != nil {
		return i
	}
	i = &typeInfo{}
	c.types[t] = i // a type may contain itself, by a pointer
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
	case reflect.Interface:
		i.opaque = t == envType
	case reflect.Array:
		i.opaque = c.info(t.Elem()).opaque
	case reflect.Struct:
		i.opaque = true
		for k := range t.NumField() {
			f := t.Field(k)
			i.fields = append(i.fields, &place{t, f.Name})
			i.opaque = i.opaque && c.info(f.Type).opaque
		}
		i.opaque = i.opaque || shared(t)
	default:
		i.opaque = true
	}
	return i
}

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

// push counts a value, and looks into it next if it can contain others.
func (c *Census) push(v reflect.Value, where *place) {
	for v.IsValid() && (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) {
		if c.info(v.Type()).opaque || v.IsNil() {
			return
		}
		if v.Kind() == reflect.Pointer {
			at := visit{v.UnsafePointer(), v.Type()}
			if c.seen[at] {
				return
			}
			c.seen[at] = true
		}
		v = v.Elem()
	}
	if !v.IsValid() || c.info(v.Type()).opaque || len(c.stack) > deepest {
		return
	}
	f := frame{v: v, where: where}
	switch v.Kind() {
	case reflect.Map:
		c.counts[where] += v.Len()
		if c.info(v.Type().Elem()).opaque {
			return
		}
		f.iter = v.MapRange()
	case reflect.Slice:
		c.counts[where] += v.Len()
		if c.info(v.Type().Elem()).opaque {
			return
		}
	}
	c.stack = append(c.stack, f)
}

// step looks into the next element of the value on top.
func (c *Census) step() {
	f := &c.stack[len(c.stack)-1]
	k := f.next
	f.next++
	switch f.v.Kind() {
	case reflect.Struct:
		if fields := c.info(f.v.Type()).fields; k < len(fields) {
			c.push(f.v.Field(k), fields[k])
			return
		}
	case reflect.Map:
		if f.iter.Next() {
			c.push(f.iter.Value(), f.where)
			return
		}
	default:
		if k < f.v.Len() {
			c.push(f.v.Index(k), f.where)
			return
		}
	}
	c.stack = c.stack[:len(c.stack)-1]
}
