package regionlog

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// SetLands says who owns what here; nobody can but by what the owners have signed.
func (a *Area) SetLands(of id.ID, lands []decision.SignedLand) error {
	list := make([]world.Land, 0, len(lands))
	for i := range lands {
		l, err := a.verified.LandOf(of, lands[i])
		if err != nil {
			return err
		}
		list = append(list, l)
	}
	a.Area.SetLands(list)
	a.rec.event(evLands)
	a.rec.raw(AppendLands(nil, lands))
	return nil
}

// AppendLands appends an encoding of lands.
func AppendLands(b []byte, lands []decision.SignedLand) []byte {
	w := writer{b}
	w.uint(uint64(len(lands)))
	for i := range lands {
		w.put(lands[i].Land.Append(nil))
		w.uint(uint64(len(lands[i].Trusts)))
		for _, t := range lands[i].Trusts {
			w.put(t.Append(nil))
		}
	}
	return w.b
}

// DecodeLands reads what AppendLands wrote. Nothing is verified.
func DecodeLands(b []byte) ([]decision.SignedLand, error) {
	r := newReader(b)
	lands := r.lands()
	if !r.End() {
		return nil, ErrFormat
	}
	return lands, nil
}

func (r *reader) lands() (out []decision.SignedLand) {
	for n := r.Uint(world.MaxLands); n > 0 && !r.Bad(); n-- {
		l := decision.SignedLand{Land: r.statement()}
		for m := r.Uint(decision.MaxTrusted); m > 0 && !r.Bad(); m-- {
			l.Trusts = append(l.Trusts, r.statement())
		}
		out = append(out, l)
	}
	return out
}

func (r *reader) statement() *decision.Statement {
	s, err := decision.Decode(r.Bytes(decision.MaxSize))
	if err != nil {
		r.Fail()
	}
	return s
}

// applyLands takes what owners have signed, after verifying that.
func (a *Area) applyLands(r *reader) error {
	lands := r.lands()
	if r.Bad() {
		return ErrFormat
	}
	if err := a.SetLands(a.world, lands); err != nil {
		return fmt.Errorf("%w: land that its owner has not signed: %v", errRule, err)
	}
	return nil
}
