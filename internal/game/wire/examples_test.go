package wire

import (
	"bytes"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"slices"
)

type example struct {
	name string
	m    Message
}

// examples has each message at least once; they are written to testdata for
// the tests of other clients.
var examples = []example{
	{"hello", &Hello{Version, "Zoë Müller-Łuk", [32]byte{1, 2, 3, 31: 0xff}, "example/1"}},
	{"proof", &Proof{[64]byte{9, 63: 7}}},
	{"view", &View{10, 4}},
	{"input one step", &Input{1, []Step{{Forward | Sprint, 16384, -100}}, world.Vec{X: 4096, Y: 64 << 12, Z: -3}}},
	{"input three steps", &Input{300, []Step{{Left | Jump, 65535, 0}, {Left, 65535, 16383}, {0, 0, -16384}}, world.Vec{X: -1 << 30, Y: 0, Z: 1 << 30}}},
	{"act dig", &Act{Seq: 1, Kind: Dig, X: -5, Y: 63, Z: 1000, Face: 1}},
	{"act move item", &Act{Seq: 70000, Kind: MoveItem, X: 64, A: 3, B: 17}},
	{"act hit", &Act{Seq: 128, Kind: Hit, A: 1<<53 - 1}},
	{"say", &Say{Text: "hello, world: żółw 🐢"}},
	{"say command", &Say{Text: "/tp 0 80 0"}},
	{"say signed", &Say{Text: "hello", Tick: 1 << 40, Sig: bytes.Repeat([]byte{7}, 64)}},
	{"ping", &Ping{0xdeadbeef}},
	{"far", &Far{[]world.RegionPos{{X: 0, Z: -1}, {X: 200, Z: -70000}}}},
	{"leave", &Leave{}},
	{"ask hosts", &AskHosts{}},
	{"ask entrances", &AskEntrances{}},
	{"signed", &Signed{[]byte{1, 2, 3}}},
	{"missed", &Missed{world.RegionPos{X: -3, Z: 4}}},
	{"segment", &Segment{[]byte{4, 5, 6}}},
	{"skin by name", &Skin{[]byte{}}},
	{"skin built in", &Skin{[]byte{3}}},
	{"skin of pixels", &Skin{slices.Concat([]byte{0, 2, 255, 0, 0, 0, 128, 255}, bytes.Repeat([]byte{0, 1, 1}, skinPixels/3))}},
	{"ask skin", &AskSkin{77}},
	{"skin of", &SkinOf{77, []byte{3}}},
	{"put schematic", &PutSchematic{[]byte{31, 139, 8}, true}},
	{"sign", &Sign{[]byte{1, 0, 0}}},
	{"challenge", &Challenge{Version, [32]byte{0xaa, 31: 0xbb}, id.ID{1, 19: 2}, "home"}},
	{"refused", BadCode.Refusal(5)},
	{"welcome", &Welcome{id.ID{3, 19: 4}, "Zoë", 77, WorldInfo{"home", "42", 1, 24000}, world.Vec{X: 2048, Y: 70 << 12, Z: -2048}, 123456789, -12000, true, world.Vec{X: -4096, Y: 65 << 12, Z: 1}, 49152, -8192}},
	{"column of air", &Column{Pos: world.ColumnPos{X: -1, Z: 2}, Deflated: []byte{3, 0}}},
	{"unload", &Unload{world.ColumnPos{X: 7, Z: -8}}},
	{"frame empty", &Frame{[]byte{0, 1, 200, 1, 0, 0}}},
	{"pong", &Pong{0xdeadbeef, 123456790}},
	{"result done", &ActResult{Seq: 1, OK: true}},
	{"result refused", &ActResult{70000, false, Protected, Protected.Text()}},
	{"self", &Self{0, 19, 300, 17, false, true, false, true}},
	{"inventory", &Inventory{[]SlotItem{{0, 23, 64}, {35, 300, 1}, {8, 0, 0}}, 4}},
	{"container", &Container{-5, 64, 1000, 27, []SlotItem{{0, 23, 64}, {26, 70, 40}}, 0, 0}},
	{"furnace", &Container{-5, 64, 1000, 3, []SlotItem{{0, 14, 9}}, 1600, 130}},
	{"act write", &Act{Seq: 6, Kind: Write, X: -5, Y: 64, Z: 1000, Text: "Ada's\nöfen"}},
	{"signs", &Signs{Column: world.ColumnPos{X: -2, Z: 7}, Texts: []SignText{{5 | 3<<5 | 64<<10, "to the mine\n→"}, {1, "x"}}}},
	{"act store", &Act{Seq: 5, Kind: Store, X: -5, Y: 64, Z: 1000, A: 3, B: 64 | 10<<8}},
	{"chat", &Chat{ChatWorld, "Zoë", "hello"}},
	{"chat system", &Chat{ChatSystem, "", "Zoë has come"}},
	{"players", &Players{true, []PlayerInfo{{77, "Zoë", true, world.RegionPos{X: 0, Z: -1}, 0}, {78, "Bo", true, world.RegionPos{X: 300, Z: 4}, 1<<31 | 5}}}},
	{"players change", &Players{false, []PlayerInfo{{78, "Bo", false, world.RegionPos{}, 0}}}},
	{"far tile", &FarTile{world.RegionPos{X: -3, Z: 4}, []byte{3, 0}}},
	{"time offset", &TimeOffset{6000}},
	{"notice", &Notice{NotAllowed, NotAllowed.Text()}},
	{"schematic", &Schematic{[]byte{31, 139, 8}, true}},
	{"commands", &Commands{[]Command{{"list", []string{}, "Who is here."}, {"gamemode", []string{"survival|creative", "<player>"}, "How somebody plays."}}}},
	{"entrances", &Entrances{[]Entrance{{id.ID{5, 19: 6}, "http://192.0.2.7:4747/"}, {id.ID{7, 19: 8}, "https://play.example.org/"}}, "vpa-AQ"}},
	{"hosts", &Hosts{
		[]HostNode{{id.ID{5, 19: 6}, 0, 2, []Corner{}, Corner{}}, {id.ID{7, 19: 8}, 1250, 1, []Corner{{-10, 20}, {3350, 20}, {0, -6700}}, Corner{1100, -2200}}},
		[]HostRegion{{world.RegionPos{X: -1, Z: 300}, true, 12, []uint32{1, 0}}, {world.RegionPos{}, false, 0, []uint32{}}},
		[]HostLink{{0, 1}},
		[]HostStorage{{
			41, 1_790_000_000_000, 10_000, 2, 4, 3, 1, 40,
			[]HostCell{{0, 2, []Corner{{-256, -256}, {0, -256}, {0, 256}}}, {1, 3, []Corner{}}},
			[]HostObserved{{world.RegionPos{X: -1, Z: 1}, true, []HostStorer{{0, 2}, {1, 3}}}, {world.RegionPos{}, false, []HostStorer{}}},
			[]HostAccused{{id.ID{9, 19: 3}, 1_790_000_400_000, 40, world.RegionPos{X: -1}, 3, 7, true}},
		}},
		[]id.ID{{7, 19: 8}},
		[]HostLand{{"home", "Ann", Corner{-12, 300}, Corner{12, 324}}},
	}},
}
