package verifiedworld

import "github.com/voxelpopuli/voxelpopuli/internal/verified/storage"

// checkpointKey is where it is in the node's own space.
const checkpointKey = "stored"

// saveCheckpoint puts what the node has of the stored world on its disk, if it is not there
// already: all nodes may stop (storage.Node.Checkpoint).
func (k *storageAdapter) saveCheckpoint() {
	if k.Encode == nil {
		return
	}
	m := k.node.Checkpoint()
	if m == nil || storage.SameCheckpoint(m, k.saved) {
		return
	}
	b, err := k.Encode(m)
	if err != nil {
		k.l.Note("What this node has of the stored world cannot be kept: " + err.Error())
		return
	}
	k.saved = m
	k.l.node.Disk.Put(checkpointKey, b)
}

// recall takes the checkpoint that is on the disk.
func (l *overlayAdapter) recall(b []byte) {
	if l.storage != nil {
		l.storage.restoreCheckpoint(b)
	}
}

// restoreCheckpoint gives the storage what was on the disk.
func (k *storageAdapter) restoreCheckpoint(b []byte) {
	if k.Decode == nil {
		return
	}
	m, err := k.Decode(b)
	if err != nil {
		k.l.Note("What this node had of the stored world cannot be read, the others' is taken: " + err.Error())
		return
	}
	k.saved = m
	k.node.Restore(m)
}
