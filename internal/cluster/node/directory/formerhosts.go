package directory

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// formerHosts are the hosts of a shard that its record named before others took their
// place, none of whom was among them.
type formerHosts struct {
	hosts []machine.Peer
	at    machine.Time
}

const (
	formerFor = time.Hour
	// formerKept is for how long others do not take their place: who has a record replaced
	// twice does not make nodes of its choice the former hosts, since others restore
	// meanwhile what these do not host.
	formerKept = time.Minute
	maxFormer  = 1024
)

// replaced notes the hosts of a record that another one has replaced.
func (d *Directory) replaced(old, now *kademlia.Record) {
	was, err := records.DecodeHosts(old.Payload)
	are, err2 := records.DecodeHosts(now.Payload)
	if err != nil || err2 != nil {
		return
	}
	for _, p := range was.Members {
		if peers.Among(are.Members, p.ID) {
			return
		}
	}
	at := d.Env.Now()
	kept, known := d.former[now.Key]
	if known && at.Sub(kept.at) < formerKept || !known && len(d.former) >= maxFormer {
		return
	}
	d.former[now.Key] = formerHosts{was.Members, at}
}

// FormerHosts are the hosts of a shard in whose place a node hosts it, as far as this node
// keeps the shard's record; nil: it does not know.
func (d *Directory) FormerHosts(p shards.Shard, by id.ID) []machine.Peer {
	key := d.KeyOf(p)
	if r := d.kad.Record(kademlia.Chunk, key); r != nil {
		if h, err := records.DecodeHosts(r.Payload); err == nil && !peers.Among(h.Members, by) {
			return h.Members // the record of the others is on its way
		}
	}
	return d.former[key].hosts
}

// forgetFormer forgets hosts after a while.
func (d *Directory) forgetFormer(now machine.Time) {
	for key, f := range d.former { // the order does not matter
		if now.Sub(f.at) >= formerFor {
			delete(d.former, key)
		}
	}
}
