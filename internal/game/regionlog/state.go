package regionlog

import (
	"crypto/sha256"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// The parts of a state, each with a hash of its own, so that a proof can say which of
// them is false.
const (
	partPlayers = iota // the rules' parameters, the time, players
	partItems          // and what lies in containers
	partMobs           // and scheduled block ticks
	partSigned         // acts that wait, and edits across the border
	partRing
	partColumns

	Parts = partColumns + world.Columns
)

// Hashes are those of the parts of a state.
type Hashes [Parts][32]byte

const stateContext = "voxelpopuli region state 1\n"

// Digest is the digest of a state whose parts have these hashes.
func (h *Hashes) Digest() [32]byte {
	b := []byte(stateContext)
	for i := range h {
		b = append(b, h[i][:]...)
	}
	return sha256.Sum256(b)
}

// State is the state of an area at a moment: frozen.
type State struct {
	Hashes  Hashes
	small   [partRing][]byte // the parts that are encoded
	ring    []*world.Column
	columns [world.Columns]*world.Column

	register []byte // of the register: all of it
	kept     bool   // there is more than the hashes
}

// state returns the state of the area. Without keep it has only the hashes.
func (a *Area) state(keep bool) *State {
	s := &State{}
	s.small[partPlayers] = a.appendPlayers(nil)
	var items, mobs, signed writer
	list := a.Items()
	items.uint(uint64(len(list)))
	for _, it := range list {
		items.put(it.AppendBinary(nil))
	}
	stored := a.Containers()
	items.uint(uint64(len(stored)))
	for _, c := range stored {
		items.put(c.AppendBinary(nil))
	}
	mobs.b = a.AppendRest(nil)
	signed.b = a.border.append(a.appendSigners(nil))
	s.small[partItems], s.small[partMobs], s.small[partSigned] = items.b, mobs.b, signed.b
	for i, b := range s.small {
		s.Hashes[i] = sha256.Sum256(b)
	}
	s.Hashes[partRing] = a.ring.hash()
	a.hashColumns()
	for i := range a.hashes {
		s.Hashes[partColumns+i] = a.hashes[i]
	}
	if keep {
		s.kept = true
		s.ring = a.ring.share()
		for i := range s.columns {
			s.columns[i] = a.Share(i)
		}
	}
	return s
}

// hashColumns brings the hashes of the columns up to date. A column that nobody has looked
// at has the one with which it was set.
func (a *Area) hashColumns() {
	for i := range a.hashes {
		if a.IsLater(i) {
			continue
		}
		if c := a.Share(i); c != nil && c != a.hashed[i] {
			a.hashes[i], a.hashed[i] = hashColumn(c), c
		}
	}
}

func hashColumn(c *world.Column) [32]byte {
	var w writer
	w.column(c)
	return sha256.Sum256(w.b)
}

// hash is that of all columns of the ring.
func (r *Ring) hash() [32]byte {
	var b []byte
	r.sides(func(pos world.ColumnPos) {
		h, ok := r.hashes[pos]
		if !ok {
			c := r.columns[pos]
			if c == nil {
				return
			}
			h = hashColumn(c)
			r.hashes[pos] = h
		}
		b = append(b, h[:]...)
	})
	return sha256.Sum256(b)
}

// appendPlayers appends what the rules depend on, the time and the players.
func (a *Area) appendPlayers(b []byte) []byte {
	w := writer{b}
	flag := func(on bool) {
		if on {
			w.uint(1)
		} else {
			w.uint(0)
		}
	}
	w.int(int64(a.Pos().X))
	w.int(int64(a.Pos().Z))
	w.uint(a.rules.Seed)
	w.pos(a.rules.Spawn)
	w.pos(a.Spawn())
	w.int(int64(a.rules.Protect))
	w.int(int64(a.rules.Mobs))
	flag(a.rules.Peace)
	flag(a.rules.OwnItems)
	flag(a.rules.Peaceful)
	flag(a.rules.Static)
	flag(a.rules.Drops)
	flag(a.signed)
	flag(a.Fire())
	w.uint(a.Now())
	w.int(a.offset)
	lands := a.Lands()
	w.uint(uint64(len(lands)))
	for i := range lands {
		w.put(lands[i].AppendBinary(nil))
	}
	players := a.Players()
	w.uint(uint64(len(players)))
	for _, p := range players {
		w.put(appendPlayer(nil, p))
	}
	return w.b
}

// Append appends the encoding of a state that was kept.
func (s *State) Append(b []byte) []byte {
	if s.register != nil {
		return append(b, s.register...)
	}
	w := writer{b}
	for _, part := range s.small {
		w.put(part)
	}
	w.uint(uint64(len(s.ring)))
	for _, c := range s.ring {
		w.column(c)
	}
	for _, c := range s.columns {
		w.column(c)
	}
	return w.b
}

// load makes an area from an encoded state.
func load(b []byte) (*Area, error) {
	if len(b) > MaxState {
		return nil, ErrFormat
	}
	r := newReader(b)
	a, err := read(r, func(a *Area, i int) bool { return a.put(r.column(), i) })
	if err == nil && !r.End() {
		err = ErrFormat
	}
	return a, err
}

// inRing is the index of a column of the ring: its place says where it belongs.
const inRing = -1

// put puts a column in its place; false: it does not belong there.
func (a *Area) put(c *world.Column, i int) bool {
	if i == inRing {
		return a.ring.put(c)
	}
	if c == nil || c.Pos != a.Pos().Column(i) {
		return false
	}
	a.SetColumn(c)
	return true
}

// read makes an area: column reads a column and puts it in its place, r reads the rest.
func read(r *reader, column func(a *Area, i int) bool) (*Area, error) {
	var small [partRing][]byte
	for i := range small {
		small[i] = r.Bytes(MaxState)
	}
	if r.Bad() {
		return nil, ErrFormat
	}
	a, players, err := loadHead(small[partPlayers])
	if err != nil {
		return nil, err
	}
	for n := r.Uint(4*world.RegionCols + 4); n > 0; n-- {
		if !column(a, inRing) || r.Bad() {
			return nil, ErrFormat
		}
	}
	for i := range world.Columns {
		if !column(a, i) || r.Bad() {
			return nil, ErrFormat
		}
	}
	for _, p := range players {
		read, err := readPlayer(p)
		if err != nil {
			return nil, err
		}
		putPlayer(a.Area, read)
	}
	items := newReader(small[partItems])
	for n := items.Count(8); n > 0; n-- {
		it, err := world.DecodeItem(items.Bytes(maxBlob))
		if err != nil {
			return nil, ErrFormat
		}
		a.Area.AddItem(it)
	}
	for n := items.Count(8); n > 0; n-- {
		c, err := world.DecodeContainer(items.Bytes(maxBlob))
		if err != nil {
			return nil, ErrFormat
		}
		a.Area.SetContainer(c.At, c)
	}
	if a.LoadRest(small[partMobs]) != nil { // after the furnaces, which schedule block ticks
		return nil, ErrFormat
	}
	signed := newReader(small[partSigned])
	a.loadSigners(signed)
	if a.border.load(signed); !items.End() || !signed.End() {
		return nil, ErrFormat
	}
	return a, nil
}

// loadHead reads what the rules depend on, and cuts out the players.
func loadHead(b []byte) (a *Area, players [][]byte, err error) {
	r := newReader(b)
	pos := world.RegionPos{X: int32(r.Int(world.Limit / world.RegionSize)), Z: int32(r.Int(world.Limit / world.RegionSize))}
	rules := world.AreaConfig{Seed: r.Uint(1<<64 - 1), Spawn: r.pos()}
	spawn := r.pos()
	rules.Protect, rules.Mobs = int32(r.Int(maxCoord)), int(r.Int(1<<12))
	rules.Peace, rules.OwnItems = r.Uint(1) == 1, r.Uint(1) == 1
	rules.Peaceful, rules.Static, rules.Drops = r.Uint(1) == 1, r.Uint(1) == 1, r.Uint(1) == 1
	signed, fire := r.Uint(1) == 1, r.Uint(1) == 1
	tick, offset := r.Uint(maxU62), r.Int(maxU62)
	var lands []world.Land
	for n := r.Uint(world.MaxLands); n > 0; n-- {
		l, err := world.DecodeLand(r.Bytes(maxBlob))
		if err != nil {
			return nil, nil, ErrFormat
		}
		lands = append(lands, l)
	}
	for n := r.Count(64); n > 0; n-- {
		players = append(players, r.Bytes(maxBlob))
	}
	if !r.End() {
		return nil, nil, ErrFormat
	}
	a = NewArea(rules, pos, signed)
	a.SetTick(tick)
	a.SetTimeOffset(offset)
	a.Area.SetLands(lands)
	a.Area.SetSpawn(spawn)
	a.Area.SetFire(fire)
	return a, players, nil
}
