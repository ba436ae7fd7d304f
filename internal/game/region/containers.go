package region

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// containers brings what is in the region's containers to the disk and to those who look
// into them (docs/protocols/region.md, "Containers"). Each that is not empty has a record
// of its own, written in the same batch as the inventories that its contents come from or
// go to, or as the items that fall out of it.
type containers struct {
	component
	area    *regionlog.Area
	store   *store
	players playerFinder
	watched *interest
}

// view is a container that a player looks into.
type view struct {
	at    world.Pos
	slots int
	until uint64 // tick
}

// viewFor is for how many ticks a player hears of a container after it has opened it. A
// client that still shows it opens it again.
const viewFor = 200

// containerBefore is a container's record before a batch changed it; nil: there was none.
type containerBefore struct {
	at    world.Pos
	state []byte
}

func containerKey(at world.Pos) string {
	return keyContainer + string(binary.BigEndian.AppendUint32(nil, uint32(placeInRegion(at))))
}

// unpackContainer reads a container's record.
func unpackContainer(pos world.RegionPos, key string, b []byte) (*world.Container, error) {
	c, err := world.DecodeContainer(b)
	if err != nil || c.At.Region() != pos || !c.At.InWorld() || key != containerKey(c.At) {
		return nil, fmt.Errorf("a container: %w", ErrCorrupt)
	}
	return c, nil
}

// apply writes what a step changed in containers, and tells who looks into them.
func (k *containers) apply(tick uint64, c *world.Changes) {
	for _, o := range c.Opened {
		if h := k.players.at(o.Player.ID); h != nil {
			h.opened = view{o.At, o.Slots, tick + viewFor}
			k.show(h)
		}
	}
	for i, at := range c.Containers {
		if slices.Contains(c.Containers[:i], at) {
			continue
		}
		var state []byte
		now := k.area.Container(at)
		if now != nil {
			state = now.AppendBinary(nil)
		}
		was := k.write(at, state)
		k.showAll(tick, at)
		k.showSign(at, was, now)
	}
}

// write puts a container's record into the next batch, nil deletes it, and returns the
// record before.
func (k *containers) write(at world.Pos, state []byte) (was []byte) {
	key := containerKey(at)
	was = k.store.small[key]
	k.store.next.stored = append(k.store.next.stored, containerBefore{at, was})
	if state == nil {
		k.store.del(key)
	} else {
		k.store.put(key, state)
	}
	return was
}

// restore takes back what a batch that failed has changed in a container.
func (k *containers) restore(tick uint64, was containerBefore) {
	now := k.area.Container(was.at)
	if was.state == nil {
		k.area.SetContainer(was.at, nil)
		k.store.del(containerKey(was.at))
	} else if c, err := world.DecodeContainer(was.state); err == nil {
		k.area.SetContainer(was.at, c)
		k.store.put(containerKey(was.at), was.state)
	}
	k.showAll(tick, was.at)
	k.showSign(was.at, was.state, now)
}

// showSign tells all who watch a column what is written there, if that has changed at a
// place between a record and a container.
func (k *containers) showSign(at world.Pos, record []byte, c *world.Container) {
	if c == nil || c.Text == "" {
		if c, _ = world.DecodeContainer(record); c == nil || c.Text == "" {
			return
		}
	}
	column := at.Column().Index()
	for _, s := range k.watched.subs {
		if s.set[column] != RateNone {
			k.watched.columns.sendSigns(s.peer, column)
		}
	}
}

// showAll tells all who look into a container what is in it.
func (k *containers) showAll(tick uint64, at world.Pos) {
	for _, p := range k.area.Players() {
		if h := k.players.at(p.ID); h != nil && h.opened.at == at && tick <= h.opened.until && world.InReach(p.Body.Pos, at) {
			k.show(h)
		}
	}
}

// show tells a player what is in the container that it looks into.
func (k *containers) show(h *playerSession) {
	if h.peer == (machine.Peer{}) {
		return
	}
	m := &Container{Region: k.cfg.Pos, Player: h.p.ID, At: h.opened.at, Size: uint8(h.opened.slots)}
	if c := k.area.Contents(m.At); c != nil {
		m.Heat, m.Work = c.Heat, c.Work
		for i, s := range c.Slots {
			if s.Count > 0 {
				m.Slots = append(m.Slots, Slot{uint8(i), s.Block, uint16(s.Count)})
			}
		}
	}
	if b, ok := k.area.Block(m.At); !ok || world.Info(b).Stores == 0 {
		m.Size = 0
	}
	k.env.Send(h.peer, m)
}
