package region

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

const (
	retryRead  = time.Second // after a read has failed
	maxWaiting = 4096        // messages that wait for the disk
)

// loading reads the region's space, provides its columns, from there or from the
// terrain, and keeps the messages that have to wait for that.
type loading struct {
	component
	tags    *jobTags
	area    *regionlog.Area
	columns *columns
	store   *store
	pending *pendingEdits
	edits   *requestedEdits
	lands   *lands
	history *history
	events  loadEvents

	awake bool // the disk has been read
	contents
}

// contents is what was read and is not in the area yet.
type contents struct {
	asked   uint16 // columns that are being generated
	stored  [world.Columns][]byte
	changes [world.Columns][]BlockChange // from the log
	rest    []byte
	items   []*world.Item
	stores  []*world.Container
	waiting []queuedMessage
}

// loadEvents is what follows from loading.
type loadEvents interface {
	onColumnLoaded()
	damaged(err error)
	OnMessage(from machine.Peer, m machine.Message) // one that has waited
}

// queuedMessage is a message that waits until the disk has been read.
type queuedMessage struct {
	from machine.Peer
	m    machine.Message
}

// read reads the region's space.
func (l *loading) read() {
	l.env.Do(l.store.queue, l.tags.next(jobRead), machine.DiskRead{Space: l.store.queue})
}

// onRead takes what the disk holds.
func (l *loading) onRead(result any, err error) error {
	l.history.clear()
	kvs, ok := result.([]machine.KV)
	if err == nil && !ok {
		err = fmt.Errorf("the disk answered with %T", result)
	}
	if err == nil {
		err = l.unpack(kvs)
	}
	l.awake = err == nil
	return err
}

// fail tells the players who wait that the region cannot be had, and reads again
// later. Nothing is written over what cannot be read.
func (l *loading) fail(err error) {
	l.stats.ReadsFailed++
	for _, w := range l.waiting {
		if e, ok := w.m.(*Enter); ok {
			l.env.Send(w.from, &Refused{Region: l.cfg.Pos, Player: e.Player, Code: "storage", Text: err.Error()})
		}
	}
	l.contents = contents{}
}

// wait keeps a message until the region can take it.
func (l *loading) wait(from machine.Peer, m machine.Message) {
	if len(l.waiting) >= maxWaiting {
		l.stats.Refused++
		return
	}
	l.waiting = append(l.waiting, queuedMessage{from, m})
}

// needReady asks for all columns and reports whether they are there; if not, the
// message waits for them.
func (l *loading) needReady(from machine.Peer, m machine.Message) bool {
	if l.columns.complete() {
		return true
	}
	l.wait(from, m)
	l.load(allColumns)
	return false
}

// deliver passes on the messages that have waited.
func (l *loading) deliver() {
	letters := l.waiting
	l.waiting = nil
	for _, w := range letters {
		l.events.OnMessage(w.from, w.m)
	}
}

// busy reports whether columns are being generated.
func (l *loading) busy() bool { return l.asked&^l.columns.loaded != 0 }

// logApplied reports whether all changes of the log that was read are in columns.
func (l *loading) logApplied() bool {
	for i := range l.changes {
		if len(l.changes[i]) > 0 {
			return false
		}
	}
	return true
}

// unpack sorts the records of the space.
func (l *loading) unpack(kvs []machine.KV) error {
	var failed []error
	for _, kv := range kvs {
		if err := l.unpackOne(string(kv.Key), kv.Value); err != nil {
			failed = append(failed, err)
		}
	}
	l.history.sort()
	return errors.Join(failed...)
}

func (l *loading) unpackOne(key string, value []byte) error {
	if key == "" {
		return fmt.Errorf("a record without a key: %w", ErrCorrupt)
	}
	kind, rest := key[:1], key[1:]
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
		return l.unpackLog(rest, value)
	case keyArea:
		l.rest = value
	case keyPlayer, keyPointer, keyWent, keyIntent:
		l.store.small[key] = value
	case keyActor:
		l.store.small[key] = value
		_, err := decodeActor(value)
		return err
	case keyEditNumber:
		l.store.small[key] = value
		n, size := binary.Uvarint(value)
		if size != len(value) || size == 0 {
			return fmt.Errorf("numbers of edits: %w", ErrCorrupt)
		}
		l.pending.reserved = n
	case keyPendingEdit:
		l.store.small[key] = value
		return l.pending.unpack(rest, value)
	case keyActs:
		l.store.small[key] = value
		_, err := decodeActRecord(value)
		return err
	case keyOrders:
		l.store.small[key] = value
		_, err := decision.DecodeExecuted(value)
		return err
	case keySigned:
		l.store.small[key] = value
		_, err := inputlog.DecodeLog(value)
		return err
	case keyActors:
		l.store.small[key] = value
		return l.history.unpackActor(rest, value)
	case keyHistory, keyMoves:
		l.store.small[key] = value
		return l.history.unpack(kind, rest, value)
	case keyLands:
		l.store.small[key] = value
		_, err := regionlog.DecodeLands(value)
		return err
	case keyItem:
		l.store.small[key] = value
		it, err := unpackItem(key, value)
		if err != nil {
			return err
		}
		l.items = append(l.items, it)
	case keyContainer:
		l.store.small[key] = value
		c, err := unpackContainer(l.cfg.Pos, key, value)
		if err != nil {
			return err
		}
		l.stores = append(l.stores, c)
	case keyNeighbourEdits:
		l.store.small[key] = value
		return l.edits.unpack(rest, value)
	default:
		return fmt.Errorf("a record of an unknown kind %q: %w", kind, ErrCorrupt)
	}
	return nil
}

// unpackLog reads a log record. Records come in the order of their keys.
func (l *loading) unpackLog(key string, value []byte) error {
	changes, err := decodeChanges(l.cfg.Pos, value)
	if err != nil || len(key) != 8 {
		return errors.Join(err, ErrCorrupt)
	}
	for _, c := range []byte(key) {
		l.store.lastSeq = l.store.lastSeq<<8 | uint64(c)
	}
	for _, c := range changes {
		i := c.Pos.Column().Index()
		l.changes[i] = append(l.changes[i], c)
	}
	l.store.logBytes += len(value)
	return nil
}

// load makes columns ready that are not: from the disk, or by a job.
func (l *loading) load(want uint16) {
	if !l.awake {
		return
	}
	want &^= l.columns.loaded | l.asked
	for i := range l.stored {
		if want>>i&1 == 0 {
			continue
		}
		pos := l.cfg.Pos.Column(i)
		if l.stored[i] == nil {
			l.asked |= 1 << i
			l.env.Do("", l.tags.next(jobGenerate)|uint64(i), Generate{l.cfg.Terrain, pos})
			continue
		}
		c, err := decodeColumn(pos, l.stored[i])
		if err != nil {
			l.events.damaged(err)
			continue
		}
		l.takeColumn(c)
	}
}

// onGenerated takes a generated column.
func (l *loading) onGenerated(i int, result any, err error) {
	c, ok := result.(*world.Column)
	if err != nil || !ok || c.Pos != l.cfg.Pos.Column(i) {
		l.asked &^= 1 << i
		l.events.damaged(fmt.Errorf("generating %v: %T, %w", l.cfg.Pos.Column(i), result, err))
		return
	}
	l.takeColumn(c)
}

// takeColumn brings a column to what the log says and puts it in its place.
func (l *loading) takeColumn(c *world.Column) {
	i := c.Pos.Index()
	for _, ch := range l.changes[i] {
		c.Set(int(ch.Pos.X&(world.ChunkSize-1)), int(ch.Pos.Y), int(ch.Pos.Z&(world.ChunkSize-1)), ch.Block)
	}
	if len(l.changes[i]) > 0 {
		l.store.changed |= 1 << i
	}
	l.stored[i], l.changes[i] = nil, nil
	l.columns.add(c)
	l.events.onColumnLoaded()
	if l.columns.complete() {
		l.ready()
	}
}

// ready goes on where the region was when it was written: it can tick now.
func (l *loading) ready() {
	if rest := l.rest; rest != nil {
		l.rest = nil
		if err := l.area.LoadRest(rest); err != nil {
			l.events.damaged(err)
		}
	}
	for _, it := range l.items {
		l.area.AddItem(it)
	}
	for _, c := range l.stores {
		l.area.SetContainer(c.At, c)
	}
	l.items, l.stores = nil, nil
	l.lands.refresh()
	l.cfg.applySettings(l.area)
	l.area.WakePlants()
	l.deliver()
}
