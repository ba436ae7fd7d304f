package node_test

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/codec"
	"github.com/voxelpopuli/voxelpopuli/internal/net/codec/codectest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
)

func init() {
	node.OverBytes(func(rules storage.Rules) func(machine.Message) machine.Message {
		if rules == nil {
			return codectest.Carry(codec.New())
		}
		return codectest.Carry(codec.NewVerified(codec.Verified{Rules: rules, Bounds: overlay.SpaceFor(4).Bounds()}))
	})
}
