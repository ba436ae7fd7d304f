package hostile

import (
	"reflect"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// perKey is how many values are remembered of a field, and of a type.
const perKey = 48

// maxWalk bounds how deep a message is searched for values, maxItems how many
// elements of a list are.
const (
	maxWalk  = 10
	maxItems = 8
)

// key names what a value was: a field of a type, or with an empty name any value of
// the type.
type key struct {
	typ  reflect.Type
	name string
}

// memory holds values that have been seen in messages, the last ones of each field.
type memory struct {
	values map[key][]reflect.Value
	next   map[key]int
}

func newMemory() *memory { return &memory{map[key][]reflect.Value{}, map[key]int{}} }

// learn remembers all values within v.
func (m *memory) learn(v reflect.Value) { m.walk(v, "", 0) }

var columnType = reflect.TypeFor[*world.Column]()

func (m *memory) walk(v reflect.Value, name string, depth int) {
	if depth > maxWalk || !v.IsValid() || v.Type() == columnType {
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			m.walk(v.Elem(), name, depth+1)
		}
		return
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				m.walk(v.Field(i), f.Name, depth+1)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			break
		}
		for i := range min(v.Len(), maxItems) {
			m.walk(v.Index(i), name, depth+1)
		}
	case reflect.Map, reflect.Func, reflect.Chan:
		return
	}
	if v.IsZero() {
		return
	}
	m.put(key{v.Type(), name}, v)
	if v.Kind() == reflect.Struct || v.Kind() == reflect.Array { // an id is an id, a number may be anything
		m.put(key{v.Type(), ""}, v)
	}
}

// put remembers a value in place of the oldest one.
func (m *memory) put(k key, v reflect.Value) {
	if all := m.values[k]; len(all) < perKey {
		m.values[k] = append(all, v)
		return
	}
	m.values[k][m.next[k]] = v
	m.next[k] = (m.next[k] + 1) % perKey
}

// recall returns a value that a field may have; false if none is known.
func (m *memory) recall(r *rng.Rand, t reflect.Type, name string) (reflect.Value, bool) {
	all := m.values[key{t, name}]
	if len(all) == 0 || r.OneIn(4) {
		if any := m.values[key{t, ""}]; len(any) > 0 {
			all = any
		}
	}
	if len(all) == 0 {
		return reflect.Value{}, false
	}
	return all[r.Intn(len(all))], true
}
