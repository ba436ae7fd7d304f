package nodelab

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

// Nodes of experiments that measure are children that are a host and nothing
// else; those of chaos can do more to themselves.

// LabWorld is the name of the worlds of experiments.
const LabWorld = "lab"

// NodeOrder is what the lab says to a node, one JSON object a line; each is
// answered by a nodeReport.
type NodeOrder struct {
	Data string   `json:",omitempty"` // the first order: its folder,
	Join []string `json:",omitempty"` // by whom it joins; nobody: it begins the world,
	At   string   `json:",omitempty"` // its address for others; empty: any that is free

	Share bool   `json:",omitempty"` // with players by invitations; then
	Page  string `json:",omitempty"` // URL of a page for links

	Invitation string `json:",omitempty"` // that the node joins by

	Certificate, Revocations string `json:",omitempty"` // files of a member of a verified world

	Unchecked bool `json:",omitempty"` // nobody replays what leaders do
	Spareless bool `json:",omitempty"` // no node keeps copies

	Region *world.RegionPos `json:",omitempty"` // whose hosts are asked for
	Lobby  bool             `json:",omitempty"` // the lobby's

	Lie     string     `json:",omitempty"` // what the node does to Region (lies),
	Place   *world.Pos `json:",omitempty"` // where,
	Players []id.ID    `json:",omitempty"` // and to whom
}

// NodeReport is a node's answer.
type NodeReport struct {
	URL   string // of its gateway
	Nodes string // the address that others join by; empty: it takes itself for hidden
	Error string `json:",omitempty"`

	Invitation, Link string `json:",omitempty"` // of a world that is shared

	World   id.ID
	Self    machine.Peer
	Leader  machine.Peer // of the part that was asked for
	Members int          // that vote
	Holds   bool         // this node keeps it
	// Restored is the time of the copy that the part began with here; 0: it did not.
	Restored  machine.Time
	Convicted []id.ID           // nodes
	CPU       float64           // seconds that the process has used
	Sent, Log uint64            // bytes to other nodes: all packets; the log and what is signed of it
	Replayed  uint64            // entries of other nodes' logs
	Kinds     map[string]uint64 // bytes to other nodes by kind of message
	Forged    int64             // messages that the node has forged
}

// FoundLab makes the world of an experiment in a folder. Its nodes' ids solve
// hardly any puzzle: the experiments are about other things.
func FoundLab(dir string, seed uint64) error { return FoundWorld(dir, seed, "open") }

// labDifficulty is that of the puzzle.
const labDifficulty = 1

// FoundWorld does that for nodes that may host by a rule; empty: by invitations.
func FoundWorld(dir string, seed uint64, hosting string) error {
	folder, err := worldfs.OpenFolder(dir)
	if err != nil {
		return err
	}
	_, err = host.CreateWorld(folder, host.NewWorld{
		Name: LabWorld, Seed: fmt.Sprint(seed), Mode: "creative", Genesis: worldfs.OpenGenesis(labDifficulty), Hosting: hosting,
	})
	return err
}

// LabConfig is how nodes of experiments run: on the loopback, for others too.
func LabConfig(dir string, join []string) host.Config {
	return host.Config{
		Data: dir, World: LabWorld, Port: -1, Nodes: "127.0.0.1:0", Join: join,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

// hostMain is the node's process: it ends when its input does.
func hostMain(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	var h *host.Host
	var lying lyingNode
	for lines.Scan() {
		var o NodeOrder
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return err
		}
		var r NodeReport
		var err error
		if h == nil {
			cfg := LabConfig(o.Data, o.Join)
			if cfg.Log, err = openLog(o.Data); err != nil {
				return err
			}
			if o.At != "" {
				cfg.Nodes = o.At
			}
			cfg.Faults.Unchecked = o.Unchecked
			lying.around(&cfg.Faults)
			if o.Spareless {
				cfg.CopiesDisk, cfg.CopiesUpload = -1, -1
			}
			cfg.Certificate, cfg.Revocations = o.Certificate, o.Revocations
			if o.Invitation != "" {
				if cfg.Invitation, err = invitation.Parse(o.Invitation); err != nil {
					return err
				}
				for _, at := range cfg.Invitation.Addrs {
					cfg.Join = append(cfg.Join, at.String())
				}
			}
			if o.Share {
				cfg.Share, cfg.Page, cfg.NoPortMapping, cfg.Listen = true, o.Page, true, o.At
			}
			h, err = host.Start(cfg)
		}
		if err == nil && o.Lie != "" {
			err = lying.tell(h, &o)
		}
		if err == nil {
			r, err = lookAt(context.Background(), h, &o)
			r.Forged = lying.forged()
		}
		if err != nil {
			r.Error = err.Error()
		}
		if err := json.NewEncoder(out).Encode(r); err != nil {
			return err
		}
		if h == nil {
			return nil
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return h.Close(ctx)
}

// logFile is where a node with this folder writes what it says.
func logFile(data string) string { return data + ".log" }

func openLog(data string) (*slog.Logger, error) {
	f, err := os.OpenFile(logFile(data), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return slog.New(slog.NewTextHandler(f, nil)), nil
}

// logKinds are the messages of logs and of what is signed of them.
var logKinds = []string{"*accountability.FollowLog", "*accountability.LogEntries", "*accountability.LogState", "*accountability.Shown", "*accountability.Audit", "*accountability.Challenge", "*accountability.Piece"}

// lookAt asks a node for the hosts of a part.
func lookAt(ctx context.Context, h *host.Host, o *NodeOrder) (NodeReport, error) {
	s, err := h.Stats(ctx)
	if err != nil {
		return NodeReport{}, err
	}
	r := NodeReport{URL: h.LocalURL(), Nodes: JoinAddr(h), World: h.World().ID, Self: s.Self, Convicted: s.Convicted, CPU: lab.CPUTime().Seconds(), Replayed: s.LogEntries}
	net, err := h.NetStats(ctx)
	if err != nil {
		return r, err
	}
	for _, out := range net.Socket.Out {
		r.Sent += out.Bytes
	}
	for _, k := range net.Kinds {
		if r.Kinds == nil {
			r.Kinds = map[string]uint64{}
		}
		r.Kinds[k.Name] = k.BytesOut
		if slices.Contains(logKinds, k.Name) {
			r.Log += k.BytesOut
		}
	}
	if i := h.Invitation(); i != nil {
		r.Invitation = i.Text()
		r.Link = h.Link(r.Invitation)
	}
	p := shards.Shard{Lobby: o.Lobby}
	if o.Region != nil {
		p.Region = *o.Region
	}
	for _, st := range s.Shards {
		if st.Shard == p {
			r.Leader, r.Members, r.Holds, r.Restored = st.Leader, len(st.Members), st.Held, st.Restored
		}
	}
	return r, nil
}

// JoinAddr is where others join by a node, empty if it cannot be reached from outside.
func JoinAddr(h *host.Host) string {
	if at := h.NodeAddr(); at.IsValid() {
		return at.String()
	}
	return ""
}

// nodeFolder makes the folder of one node.
func nodeFolder(base string, number int) (string, error) {
	dir := fmt.Sprintf("%s/node%d", base, number)
	return dir, os.MkdirAll(dir, 0o700)
}

// What a child can be.
const (
	childCrowd = "crowd"
	ChildHost  = "host"
)

// Children are nodes, and the players of some.
var Children = lab.Children{childCrowd: crowdMain, ChildHost: hostMain}
