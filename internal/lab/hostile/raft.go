package hostile

import (
	"reflect"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "go.etcd.io/raft/v3/raftpb"
)

// raft returns messages of the library, each a new one or one that was seen with a
// field or two made anew.
func (g *maker) raft() (out [][]byte) {
	for range 1 + g.r.Intn(3) {
		m := &pb.Message{}
		if old, ok := g.seen.recall(&g.r, reflect.TypeFor[[]byte](), "Raft"); ok && !g.r.OneIn(3) {
			if proto.Unmarshal(old.Bytes(), m) != nil {
				m = &pb.Message{}
			}
			g.proto(m.ProtoReflect(), 6)
		} else {
			g.proto(m.ProtoReflect(), 2)
		}
		b, err := proto.Marshal(m)
		if err == nil {
			out = append(out, b)
		}
	}
	return out
}

// proto makes one in n fields of a message anew.
func (g *maker) proto(m protoreflect.Message, n int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		switch {
		case !g.r.OneIn(n):
		case f.IsList() && f.Message() != nil:
			list := m.Mutable(f).List()
			for range g.r.Intn(3) {
				e := list.NewElement()
				g.proto(e.Message(), 2)
				list.Append(e)
			}
		case f.IsList() || f.IsMap():
		case f.Message() != nil:
			g.proto(m.Mutable(f).Message(), 2)
		default:
			if v, ok := g.scalar(f); ok {
				m.Set(f, v)
			}
		}
	}
}

func (g *maker) scalar(f protoreflect.FieldDescriptor) (protoreflect.Value, bool) {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(g.r.OneIn(2)), true
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(g.r.Intn(25))), true
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(g.number()), true
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(uint32(g.number())), true
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(int64(g.number())), true
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(g.number())), true
	case protoreflect.BytesKind:
		b := make([]byte, g.r.Intn(60))
		for i := range b {
			b[i] = byte(g.r.Uint64())
		}
		return protoreflect.ValueOfBytes(b), true
	}
	return protoreflect.Value{}, false
}
