package node_test

import (
	"github.com/voxelpopuli/voxelpopuli/internal/codec"
	"github.com/voxelpopuli/voxelpopuli/internal/codec/codectest"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/node"
	"github.com/voxelpopuli/voxelpopuli/internal/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
)

func init() {
	node.OverBytes(func(rules storage.Rules) func(machine.Message) machine.Message {
		if rules == nil {
			return codectest.Carry(codec.New())
		}
		return codectest.Carry(codec.NewVerified(codec.Verified{Rules: rules, Bounds: overlay.SpaceFor(4).Bounds()}))
	})
}
