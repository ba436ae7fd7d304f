package chaoslab

import (
	"bufio"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
)

// Each node writes down who holds tokens, with every write to a region's space before it is
// made. These writes are what the hosts of a region have agreed on, so that whatever
// becomes of a node afterwards, the others make the same ones. A write that leaves fewer or
// more tokens in a region than were there says where they were lost; an item that has lain
// there for its five minutes is gone by the rules, and is counted.

// heldLine is a write to a region's space: what the records hold that it changes.
type heldLine struct {
	At    int64 // by the system's clock
	Space string
	All   bool                     `json:",omitempty"` // all other records are deleted
	Holds map[string]region.Holder // by key, in hexadecimal digits
}

// heldDisk is the disk port of a node, and its journal.
type heldDisk struct {
	transport.Disk
	mu sync.Mutex
	f  *os.File
}

// Write implements transport.Disk.
func (d *heldDisk) Write(w machine.DiskWrite, done func(error)) {
	d.mu.Lock()
	err := d.note(w)
	d.mu.Unlock()
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot write down who holds what:", err)
		os.Exit(1)
	}
	d.Disk.Write(w, done)
}

func (d *heldDisk) note(w machine.DiskWrite) error {
	if strings.HasPrefix(w.Space, "r.") {
		l := heldLine{At: time.Now().UnixNano(), Space: w.Space, All: len(w.DeletePrefix) > 0, Holds: map[string]region.Holder{}}
		for _, key := range w.Delete {
			if kind := region.HolderOf(key); kind != region.OtherHolder {
				l.Holds[hex.EncodeToString(key)] = region.Holder{}
			}
		}
		for _, kv := range w.Put {
			h, err := region.StoredHolder(kv, token, smelted)
			if err != nil {
				return err
			}
			if h.Kind != region.OtherHolder {
				l.Holds[hex.EncodeToString(kv.Key)] = h
			}
		}
		if l.All || len(l.Holds) > 0 {
			b, err := json.Marshal(l)
			if err != nil {
				return err
			}
			if _, err = d.f.Write(append(b, '\n')); err != nil {
				return err
			}
		}
	}
	for _, then := range w.Then {
		if err := d.note(then); err != nil {
			return err
		}
	}
	return nil
}

// itemLives is how long an item lies on the ground before it is gone.
const itemLives = 5 * time.Minute

// tickTime is how long a tick of the world takes.
const tickTime = 50 * time.Millisecond

// journals are what all nodes have written down.
type journals struct {
	epoch   int64              // of the ticks in which items are born, as far as it can be seen
	expired map[string]expired // by space and key
	odd     map[string]string  // writes that do not add up, the first of each kind
}

// expired is an item that was gone by the rules.
type expired struct {
	space, key string
	count      int
}

func (c *chaos) readJournals() (*journals, error) {
	j := &journals{epoch: 1<<63 - 1, expired: map[string]expired{}, odd: map[string]string{}}
	all := make([][]heldLine, len(c.nodes))
	for i, p := range c.nodes {
		f, err := os.Open(p.config.Held)
		if err != nil {
			return nil, err
		}
		in := bufio.NewScanner(f)
		in.Buffer(nil, 1<<24)
		for in.Scan() {
			var l heldLine
			if json.Unmarshal(in.Bytes(), &l) == nil { // else cut off by a kill
				all[i] = append(all[i], l)
				for _, h := range l.Holds { // the order does not matter
					if h.Kind == region.ItemHolder {
						j.epoch = min(j.epoch, l.At-int64(h.Born)*int64(tickTime))
					}
				}
			}
		}
		if err := cmp.Or(in.Err(), f.Close()); err != nil {
			return nil, fmt.Errorf("the journal of node %d: %w", p.number, err)
		}
	}
	for i, lines := range all {
		held := map[string]map[string]region.Holder{}
		for _, l := range lines {
			if held[l.Space] == nil || l.All {
				held[l.Space] = map[string]region.Holder{}
			}
			j.take(i, &l, held[l.Space])
		}
	}
	return j, nil
}

// take takes a write of a node; held is what the records of the space hold.
func (j *journals) take(node int, l *heldLine, held map[string]region.Holder) {
	sum, stayed := 0, 0
	var gone []expired
	var story []string
	for _, key := range slices.Sorted(maps.Keys(l.Holds)) {
		was, now := held[key], l.Holds[key]
		if now.Kind == region.OtherHolder {
			delete(held, key)
		} else {
			held[key] = now
		}
		if was.Count == now.Count {
			continue
		}
		story = append(story, fmt.Sprintf("%s %s: %d to %d", max(was.Kind, now.Kind), key, was.Count, now.Count))
		sum += now.Count - was.Count
		if was.Kind == region.ItemHolder && now.Kind == region.OtherHolder {
			if age := time.Duration(l.At - j.epoch - int64(was.Born)*int64(tickTime)); age > itemLives-clockError {
				gone = append(gone, expired{l.Space, key, was.Count})
			}
		}
		if max(was.Kind, now.Kind) == region.PlayerHolder && (was.Kind == region.OtherHolder) != (now.Kind == region.OtherHolder) ||
			max(was.Kind, now.Kind) == region.LeavingHolder && now.Kind == region.OtherHolder {
			stayed++ // somebody or something came or went
		}
	}
	if l.All || sum == 0 {
		return
	}
	for _, g := range gone {
		if sum+g.count <= 0 {
			sum += g.count
			j.expired[g.space+g.key] = g
		}
	}
	if sum != 0 && stayed == 0 {
		text := l.Space + ": " + strings.Join(story, "; ")
		if _, ok := j.odd[text]; !ok {
			j.odd[text] = fmt.Sprintf("%s node %d: %+d in %s", time.Unix(0, l.At).UTC().Format(storyTime), node, sum, text)
		}
	}
}

// oddities are the writes that do not add up, in order of time.
func (j *journals) oddities() (out []string) {
	for _, text := range j.odd { // sorted below
		out = append(out, text)
	}
	slices.Sort(out)
	return out
}

// gone is how many tokens were gone by the rules, of items that the stores do not have.
func (j *journals) gone(replicas map[string][]replica) (n int) {
	for _, e := range j.expired { // the order does not matter
		all := replicas[e.space]
		if len(all) > 0 && !slices.ContainsFunc(all[0].kvs, func(kv machine.KV) bool { return hex.EncodeToString(kv.Key) == e.key }) {
			n += e.count
		}
	}
	return n
}
