package client

import (
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// strict is a client that ends its connection at what it cannot decode.
type strict struct {
	t        *testing.T
	messages int
	own      frame.Own
}

func (c *strict) Add(head, body []byte) {
	b := append(append([]byte{}, head...), body...)
	c.messages++
	var err error
	if wire.TypeOf(b) == wire.TypeFrame {
		var f frame.Frame
		err = f.Decode(b[1:])
		c.own = f.Own
	} else {
		_, err = wire.DecodeNode(b)
	}
	if err != nil {
		c.t.Errorf("the client gets %x: %v", b[:min(len(b), 20)], err)
	}
}

// TestHostileParts: what clients cannot decode is not passed on to them, and only the
// player's home says where the player is.
func TestHostileParts(t *testing.T) {
	home, other := world.RegionPos{}, world.RegionPos{X: 1}
	s := newSession(NewNode(Config{}), nil, id.ID{1})
	s.home, s.isHome = home, true
	s.watch.rates[other] = new([world.Columns]uint8)
	long := strings.Repeat("é", 1<<15)
	c := &strict{t: t}
	for _, m := range []machine.Message{
		&region.Signs{Region: home, Column: 255, Texts: make([]region.SignText, 3)},
		&region.Signs{Region: home, Texts: []region.SignText{{Place: 1 << 31, Text: long}}},
		&region.Signs{Region: home, Texts: make([]region.SignText, 5000)},
		&region.Heard{Region: home, Name: long, Text: long},
		&region.Notice{Region: home, Code: long, Text: long},
		&region.Inventory{Region: home, Selected: 200, Slots: make([]region.Slot, 5000)},
		&region.Container{Region: home, Size: 255, Slots: make([]region.Slot, 5000)},
		&lobby.Chat{Kind: 200, From: long, Text: long},
		&lobby.Notice{Text: long},
		&lobby.Players{List: []lobby.PlayerInfo{{Name: long}, {Entity: 1 << 31}}},
		&lobby.TimeOffset{Ticks: -1 << 63},
	} {
		s.receive(m, c)
	}
	c.messages = 0
	s.receive(&region.Frame{Region: other, Tick: 1, Own: region.Own{HasAck: true, Ack: 9, Corrected: true, Position: world.Vec{X: 5}}, Cells: frame.NoCells}, c)
	if c.messages != 1 || c.own != (frame.Own{}) {
		t.Errorf("a region that is not the home moves the player: %d messages, %+v", c.messages, c.own)
	}
	s.receive(&region.Self{Region: home, Mode: 1, Health: 20}, c)
	if c.messages != 2 {
		t.Error("an honest message was left out")
	}
}
