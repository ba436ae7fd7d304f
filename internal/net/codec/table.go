package codec

import (
	"fmt"
	"reflect"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// kind is a type of message.
type kind struct {
	number uint16
	typ    reflect.Type
	blank  func() machine.Message
	fields func(*form, machine.Message)
	whole  bool // none of its fields may be missing
}

// message makes the entry of *T.
func message[T any](number uint16, fields func(*form, *T)) *kind {
	return &kind{
		number: number, typ: reflect.TypeFor[*T](),
		blank:  func() machine.Message { return new(T) },
		fields: func(f *form, m machine.Message) { fields(f, m.(*T)) },
	}
}

// empty is a message without fields.
func empty[T any](*form, *T) {}

// The table of all types of messages. A number is never used for anything else;
// number 0 is no message.
var (
	byNumber [256]*kind
	byType   = map[reflect.Type]*kind{}
)

func init() { // not in the declarations, because messages hold messages
	register(
		directoryKinds, // 1 to 15
		regionKinds,    // 16 to 63
		lobbyKinds,     // 64 to 95
		nodeKinds,      // 96 to 111
		groupKinds,     // 112 to 119
		overlayKinds,   // 120 to 139
		storageKinds,   // 140 to 159
		natKinds,       // 160 to 179
	)
}

func register(groups ...[]*kind) {
	for _, group := range groups {
		for _, k := range group {
			if k.number == 0 || byNumber[k.number] != nil || byType[k.typ] != nil {
				panic(fmt.Sprintf("codec: number %d of %v is taken, or the type has one", k.number, k.typ))
			}
			byNumber[k.number], byType[k.typ] = k, k
		}
	}
}
