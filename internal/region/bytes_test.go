package region_test

import (
	"github.com/voxelpopuli/voxelpopuli/internal/codec"
	"github.com/voxelpopuli/voxelpopuli/internal/codec/codectest"
	"github.com/voxelpopuli/voxelpopuli/internal/region"
)

func init() { region.OverBytes(codectest.Carry(codec.New())) }
