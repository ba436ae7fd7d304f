package group

import (
	"fmt"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// batch is one atomic write: entries of the log, the vote, and changes of the
// space with the index up to which they are applied.
type batch struct {
	instance uint64      // raftNode.instance that the entries and responses are of
	wipe     bool        // deletes the log: another one begins
	entries  []*pb.Entry // to append
	snap     *incoming   // replaces everything
	changes  []machine.DiskWrite
	bytes    int           // of changes
	state    bool          // write the state
	hard     bool          // write the hard state
	urgent   bool          // something waits for it
	since    machine.Time  // when the first non-urgent change came
	base     uint64        // the log is truncated up to here; 0: it is not
	lease    time.Duration // written as the longest outstanding lease
	// responses are messages of the library that may be sent once it is synced.
	responses []*pb.Message
}

func (b *batch) dirty() bool { return b.state || b.hard || b.urgent }

// addEntries adds entries; those with the same or a higher index give way.
func (b *batch) addEntries(es []*pb.Entry) {
	first := es[0].GetIndex()
	for n := len(b.entries); n > 0 && b.entries[n-1].GetIndex() >= first; n-- {
		b.entries = b.entries[:n-1]
	}
	b.entries = append(b.entries, es...)
}

// puts are the entries as records.
func (b *batch) puts() (kvs []machine.KV, err error) {
	for _, e := range b.entries {
		data, err := proto.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("an entry of the log: %w", err)
		}
		kvs = append(kvs, machine.KV{Key: entryKey(e.GetIndex()), Value: data})
	}
	return kvs, nil
}
