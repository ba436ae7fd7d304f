package region_test

import (
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/net/codec"
	"github.com/voxelpopuli/voxelpopuli/internal/net/codec/codectest"
)

func init() { region.OverBytes(codectest.Carry(codec.New())) }
