package world

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

const maxName = 64 // bytes of a name

// AppendBinary appends the canonical bytes of a player.
func (p *Player) AppendBinary(dst []byte) []byte {
	w := writer{dst}
	w.uint(stateVersion)
	w.b = append(w.b, p.ID[:]...)
	w.string(p.Name)
	w.uint(p.Entity)
	w.body(&p.Body)
	w.uint(uint64(p.Mode))
	hungry := p.Food != MaxFood || p.Effort > 0
	worn := slices.ContainsFunc(p.Items[Carried:], func(s Stack) bool { return s.Count > 0 })
	w.flags(p.Operator, p.Arriving, p.Dig.Active, p.DugTo > 0, hungry, p.Visitor, p.HasBed, p.Jailed, len(p.Homes) > 0, worn, p.Fire > 0, p.Muted)
	w.uint(uint64(p.Health))
	w.uint(uint64(p.Air))
	w.uint(uint64(p.Selected))
	w.uint(p.Epoch)
	w.uint(uint64(p.LastSeq))
	w.uint(uint64(p.Credit))
	for _, at := range []uint64{p.NextPlace, p.NextHit, p.NextHurt, p.NextHeal, p.LastInput} {
		w.uint(at)
	}
	w.stacks(p.Items[:Carried])
	if p.Dig.Active {
		w.dig(&p.Dig)
	}
	if p.DugTo > 0 {
		w.uint(uint64(p.DugTo))
	}
	if hungry {
		w.uint(uint64(p.Food))
		w.uint(uint64(p.Effort))
	}
	if p.HasBed {
		w.pos(p.Bed)
	}
	if len(p.Homes) > 0 {
		w.homes(p.Homes)
	}
	if worn {
		w.stacks(p.Items[Carried:])
	}
	if p.Fire > 0 {
		w.uint(uint64(p.Fire))
	}
	return w.b
}

// DecodePlayer reads what AppendBinary wrote, all of it.
func DecodePlayer(b []byte) (*Player, error) {
	r := newReader(b)
	p := new(Player)
	r.version()
	p.ID = id.ID(r.take(id.Size, "id"))
	p.Name = r.string(maxName, "name")
	p.Entity = r.uint(1<<48-1, "entity")
	r.body(&p.Body)
	p.Mode = Mode(r.uint(uint64(Spectator), "mode"))
	var dug, hungry, homes, worn, burns bool
	r.flags("flags", &p.Operator, &p.Arriving, &p.Dig.Active, &dug, &hungry, &p.Visitor, &p.HasBed, &p.Jailed, &homes, &worn, &burns, &p.Muted)
	p.Health = uint8(r.uint(MaxHealth, "health"))
	p.Air = uint16(r.uint(MaxAir, "air"))
	p.Selected = uint8(r.uint(HotBar-1, "selected slot"))
	p.Epoch = r.uint(1<<63, "epoch")
	p.LastSeq = uint32(r.uint(1<<32-1, "sequence"))
	p.Credit = uint8(r.uint(inputBurst, "credit"))
	for _, at := range []*uint64{&p.NextPlace, &p.NextHit, &p.NextHurt, &p.NextHeal, &p.LastInput} {
		*at = r.uint(1<<62, "tick")
	}
	r.stacks(p.Items[:Carried])
	if p.Dig.Active {
		r.dig(&p.Dig)
	}
	if dug {
		if p.DugTo = uint32(r.uint(1<<32-1, "dig")); p.DugTo == 0 {
			r.fail("no step has counted for a dig")
		}
	}
	p.Food = MaxFood
	if hungry {
		p.Food, p.Effort = uint8(r.uint(MaxFood, "food")), uint16(r.uint(effortPerFood-1, "effort"))
		if p.Food == MaxFood && p.Effort == 0 {
			r.fail("hunger")
		}
	}
	if p.HasBed {
		p.Bed = r.pos("bed")
	}
	if homes {
		p.Homes = r.homes()
	}
	if worn {
		r.stacks(p.Items[Carried:])
		if !p.Items.fits() {
			r.fail("armour")
		}
	}
	if burns {
		if p.Fire = uint8(r.uint(fireLasts, "fire")); p.Fire == 0 {
			r.fail("fire")
		}
	}
	if err := r.end("player"); err != nil {
		return nil, err
	}
	return p, nil
}

func (w *writer) stacks(v []Stack) {
	for _, s := range v {
		w.uint(uint64(s.Count))
		if s.Count > 0 {
			w.uint(uint64(s.Block))
		}
	}
}

func (r *reader) stacks(v []Stack) {
	for i := range v {
		v[i].Count = uint8(r.uint(MaxStack, "item count"))
		if v[i].Count > 0 {
			v[i].Block = r.block("item")
		}
	}
}

func (w *writer) dig(d *Dig) {
	w.pos(d.At)
	w.uint(uint64(d.Block))
	w.uint(uint64(d.Face))
	w.uint(uint64(d.Seq))
	w.uint(d.Done)
	w.uint(uint64(d.Need))
}

func (r *reader) dig(d *Dig) {
	d.At = r.pos("dig")
	d.Block = r.block("dig")
	d.Face = Face(r.uint(uint64(faceCount)-1, "dig"))
	d.Seq = uint32(r.uint(1<<32-1, "dig"))
	d.Done = r.uint(1<<62, "dig")
	d.Need = uint32(r.uint(1<<20, "dig"))
	if d.Need == 0 {
		r.fail("dig without a time")
	}
}
