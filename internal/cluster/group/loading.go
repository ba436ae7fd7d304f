package group

import (
	"fmt"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// loading reads the replica's own space when it starts, and holds back what comes
// meanwhile.
type loading struct {
	component
	disk *diskWriter

	creation *creation // what Create asked for
	messages []queuedMessage
	retryAt  machine.Time
}

// creation is a group that is to be created if the disk knows of none.
type creation struct {
	members []machine.Peer
	from    Origin
}

type queuedMessage struct {
	from machine.Peer
	m    machine.Message
}

// maxQueued is how many messages are held back; more are dropped, as links may.
const maxQueued = 64

func (l *loading) start() {
	l.env.Do(l.cfg.own(), tagLoad, machine.DiskRead{Space: l.cfg.own()})
}

// create has a group created if the disk knows of none.
func (l *loading) create(from Origin, members []machine.Peer) {
	l.creation = &creation{members, from}
}

// wanted is the group that is to be created.
func (l *loading) wanted() (from Origin, members []machine.Peer, ok bool) {
	if l.creation == nil {
		return Origin{}, nil, false
	}
	return l.creation.from, l.creation.members, true
}

func (l *loading) hold(from machine.Peer, m machine.Message) {
	if len(l.messages) < maxQueued {
		l.messages = append(l.messages, queuedMessage{from, m})
	}
}

// release returns the messages that were held back.
func (l *loading) release() []queuedMessage {
	held := l.messages
	l.messages = nil
	return held
}

// onRead is the end of reading. It reports whether the records are there;
// otherwise they are read again.
func (l *loading) onRead(result any, err error) ([]machine.KV, bool) {
	kvs, ok := result.([]machine.KV)
	if err == nil && !ok {
		err = fmt.Errorf("the disk answered with %T", result)
	}
	if err != nil {
		l.disk.setFailing(fmt.Errorf("%s cannot be read: %w", l.cfg.own(), err))
		l.retryAt = l.now().Add(retryDisk)
		return nil, false
	}
	l.disk.setFailing(nil)
	return kvs, true
}

// retry reads again after a failure.
func (l *loading) retry() {
	if l.retryAt > 0 && l.now() >= l.retryAt {
		l.retryAt = 0
		l.start()
	}
}

// deadline is when reading is retried; 0: never.
func (l *loading) deadline() machine.Time { return l.retryAt }

// savedReplica is what the records of a replica's own space say.
type savedReplica struct {
	state   state
	hard    hardState
	entries []*pb.Entry
}

func decodeSaved(own string, kvs []machine.KV) (s savedReplica, err error) {
	noState := fmt.Errorf("no record of the group: %w", ErrCorrupt)
	for _, kv := range kvs {
		switch k := string(kv.Key); k {
		case "m":
			s.state, noState = decodeState(kv.Value)
		case "h":
			if s.hard, err = decodeHard(kv.Value); err != nil {
				return s, err
			}
		default:
			e, err := decodeEntry(k, kv.Value)
			if err != nil {
				return s, fmt.Errorf("%s: %w", own, err)
			}
			s.entries = append(s.entries, e)
		}
	}
	return s, noState
}

// decodeEntry reads an entry of the log and its key.
func decodeEntry(key string, value []byte) (*pb.Entry, error) {
	e := &pb.Entry{}
	if len(key) != 9 || key[0] != 'e' || proto.Unmarshal(value, e) != nil || string(entryKey(e.GetIndex())) != key {
		return nil, fmt.Errorf("record %q: %w", key, ErrCorrupt)
	}
	return e, nil
}
