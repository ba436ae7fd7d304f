package region

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// allColumns has a bit for each column of a region.
const allColumns = 1<<world.Columns - 1

const (
	retryRead  = time.Second // after a read has failed
	maxWaiting = 4096        // messages that wait for the disk
)

// loading is what a region knows before it is awake.
type loading struct {
	begun   bool
	asked   uint16 // columns that are being generated
	stored  [world.Columns][]byte
	changes [world.Columns][]BlockChange // from the log
	rest    []byte
	items   []*world.Item
	waiting []letter
}

// letter is a message that waits until the disk has been read.
type letter struct {
	from machine.Peer
	m    machine.Message
}

// load reads the region's space.
func (r *Region) load() {
	r.loading.begun = true
	r.env.Do(r.queue, r.tag(jobRead), machine.DiskRead{Space: Space(r.cfg.Pos)})
}

// onRead takes what the disk holds.
func (r *Region) onRead(result any, err error) {
	kvs, ok := result.([]machine.KV)
	if err == nil && !ok {
		err = fmt.Errorf("the disk answered with %T", result)
	}
	if err == nil {
		err = r.unpack(kvs)
	}
	if err != nil {
		r.onReadFailed(err)
		return
	}
	r.awake = true
	want := uint16(0)
	for i := range r.neighbours {
		want |= r.neighbours[i].want
	}
	r.loadColumns(want)
	r.wake()
	r.askAll()
	letters := r.loading.waiting
	r.loading.waiting = nil
	for _, l := range letters {
		r.OnMessage(l.from, l.m)
	}
	r.rest()
}

// onReadFailed tells who waits that the region cannot be had. Nothing is
// written over what cannot be read.
func (r *Region) onReadFailed(err error) {
	r.failure = fmt.Errorf("%v cannot be read: %w", r.cfg.Pos, err)
	r.stats.ReadsFailed++
	for _, l := range r.loading.waiting {
		if e, ok := l.m.(*Enter); ok {
			r.env.Send(l.from, &Refused{Region: r.cfg.Pos, Player: e.Player, Code: "storage", Text: r.failure.Error()})
		}
	}
	r.loading = loading{begun: true}
	r.notice("storage", r.failure.Error())
	r.env.SetTimer(r.env.Now().Add(retryRead), machine.Timer{Kind: timerRead})
}

// unpack sorts the records of the space.
func (r *Region) unpack(kvs []machine.KV) error {
	var failed []error
	for _, kv := range kvs {
		if err := r.unpackOne(string(kv.Key), kv.Value); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

func (r *Region) unpackOne(key string, value []byte) error {
	if key == "" {
		return fmt.Errorf("a record without a key: %w", ErrCorrupt)
	}
	l, kind, rest := &r.loading, key[:1], key[1:]
	switch kind {
	case keyHeader:
		if len(value) != 1 || value[0] != layoutVersion {
			return fmt.Errorf("written by another version (layout %v, this is %d): %w", value, layoutVersion, ErrCorrupt)
		}
	case keyColumn:
		if len(rest) != 1 || rest[0] >= world.Columns {
			return fmt.Errorf("column: %w", ErrCorrupt)
		}
		l.stored[rest[0]] = value
	case keyLog:
		return r.unpackLog(rest, value)
	case keyArea:
		l.rest = value
	case keyPlayer, keyPointer, keyIntent, keyActor:
		r.store.small[key] = value
	case keyAsks:
		r.store.small[key] = value
		n, size := binary.Uvarint(value)
		if size != len(value) || size == 0 {
			return fmt.Errorf("numbers of edits: %w", ErrCorrupt)
		}
		r.asks.reserved = n
	case keyAsk:
		r.store.small[key] = value
		return r.unpackAsk(rest, value)
	case keyActs:
		r.store.small[key] = value
		_, err := decodeLedger(value)
		return err
	case keyItem:
		r.store.small[key] = value
		return r.unpackItem(key, value)
	case keyOps:
		r.store.small[key] = value
		return r.unpackOps(rest, value)
	default:
		return fmt.Errorf("a record of an unknown kind %q: %w", kind, ErrCorrupt)
	}
	return nil
}

// unpackLog reads a log record. Records come in the order of their keys.
func (r *Region) unpackLog(key string, value []byte) error {
	changes, err := decodeChanges(r.cfg.Pos, value)
	if err != nil || len(key) != 8 {
		return errors.Join(err, ErrCorrupt)
	}
	for _, c := range []byte(key) {
		r.store.lastSeq = r.store.lastSeq<<8 | uint64(c)
	}
	for _, c := range changes {
		i := c.Pos.Column().Index()
		r.loading.changes[i] = append(r.loading.changes[i], c)
	}
	r.store.logBytes += len(value)
	return nil
}

// loadColumns makes columns ready that are not: from the disk, or by a job.
func (r *Region) loadColumns(want uint16) {
	if !r.awake {
		return
	}
	l := &r.loading
	want &^= r.loaded | l.asked
	for i := range r.version {
		if want>>i&1 == 0 {
			continue
		}
		pos := r.cfg.Pos.Column(i)
		if l.stored[i] == nil {
			l.asked |= 1 << i
			r.env.Do("", r.tag(jobGenerate)|uint64(i), Generate{r.cfg.Terrain, pos})
			continue
		}
		c, err := decodeColumn(pos, l.stored[i])
		if err != nil {
			r.damaged(err)
			continue
		}
		r.takeColumn(c)
	}
}

// damaged notes that a column cannot be read: the region stays as it is, not
// ready, and says so.
func (r *Region) damaged(err error) {
	if r.failure == nil {
		r.failure = err
		r.notice("storage", fmt.Sprintf("%v is damaged: %v", r.cfg.Pos, err))
	}
}

// onGenerated takes a generated column.
func (r *Region) onGenerated(i int, result any, err error) {
	c, ok := result.(*world.Column)
	if err != nil || !ok || c.Pos != r.cfg.Pos.Column(i) {
		r.loading.asked &^= 1 << i
		r.damaged(fmt.Errorf("generating %v: %T, %w", r.cfg.Pos.Column(i), result, err))
		return
	}
	r.takeColumn(c)
}

// takeColumn brings a column to what the log says and puts it in its place.
func (r *Region) takeColumn(c *world.Column) {
	i := c.Pos.Index()
	for _, ch := range r.loading.changes[i] {
		c.Set(int(ch.Pos.X&(world.ChunkSize-1)), int(ch.Pos.Y), int(ch.Pos.Z&(world.ChunkSize-1)), ch.Block)
	}
	if len(r.loading.changes[i]) > 0 {
		r.store.changed |= 1 << i
	}
	r.loading.stored[i], r.loading.changes[i] = nil, nil
	r.area.SetColumn(c)
	r.loaded |= 1 << i
	r.version[i]++
	r.feed()
	if r.loaded == allColumns {
		r.ready()
	}
}

// ready goes on where the region was when it was written: it can tick now.
func (r *Region) ready() {
	if rest := r.loading.rest; rest != nil {
		r.loading.rest = nil
		if err := r.area.LoadRest(rest); err != nil {
			r.damaged(err)
		}
	}
	for _, it := range r.loading.items {
		r.area.AddItem(it)
	}
	r.loading.items = nil
	letters := r.loading.waiting
	r.loading.waiting = nil
	for _, l := range letters {
		r.OnMessage(l.from, l.m)
	}
}
