package wire

import (
	"errors"
	"testing"
)

// TestLookAlikes are names that somebody could pass for another player with.
func TestLookAlikes(t *testing.T) {
	for _, pair := range [][2]string{
		{"a", "а"}, {"l", "I"}, {"o", "ο"}, {"a", "ᴀ"}, {"a", "a\u0301"}, {"a", "a\u0330\u0301"}, // one of each kind
		{"Anna", "Аnna"}, {"Anna", "аnnа"}, // Cyrillic
		{"ANNA", "ΑΝΝΑ"}, {"Mark", "МАRК"}, {"anna", "ΑΝΝΑ"}, {"mark", "маrк"}, {"Tom", "ТОМ"}, // capitals of Greek and Cyrillic
		{"Ilse", "llse"}, {"Ilse", "1lse"}, {"Bill", "BiII"},
		{"Bo", "Bο"}, {"Bo", "B0"}, {"Bo", "Во"}, // Greek, zero, all Cyrillic
		{"anna", "ᴀɴɴᴀ"}, {"Rory", "ʀᴏʀʏ"}, {"steve", "ꜱᴛᴇᴠᴇ"},
		{"Zoe", "Zoë"}, {"Ann", "Ań̃n"}, {"Martin", "Ma\u0323rtin"},
		{"Ann B", "Ann_B"}, {"Ann B", "AnnB"}, {"Amy", "Arny"}, {"Ann", "ａｎｎ"}, {"Scope", "Ѕсоре"},
	} {
		if a, b := Skeleton(pair[0]), Skeleton(pair[1]); a != b {
			t.Errorf("%q and %q look the same, but are %q and %q", pair[0], pair[1], a, b)
		}
	}
	for _, pair := range [][2]string{{"Ann", "Anna"}, {"Bo", "Bob"}, {"Мир", "Пир"}, {"山田", "山本"}, {"Tom", "Tim"}, {"가나", "가다"}, {"かき", "がき"}} {
		if Skeleton(pair[0]) == Skeleton(pair[1]) {
			t.Errorf("%q and %q are taken for each other", pair[0], pair[1])
		}
	}
}

func TestNewNames(t *testing.T) {
	for name, want := range map[string]error{
		"Server": ErrReserved, "SYSTEM": ErrReserved, "Оperator": ErrReserved, "Sуstem": ErrReserved, "Admin": ErrReserved, "Adm1n": ErrReserved,
		"ѕеrvеr": ErrReserved, "Pаul": ErrScripts, "Αnn": ErrScripts, "Anяа": ErrScripts,
		"Paul": nil, "Павел": nil, "Zoë": nil, "山田Taro": nil, "たろう": nil, "김철수": nil, "Αλέξης": nil, "R2 D2": nil, "Observer": nil, "عمر": nil,
		"System": ErrReserved, "Operator": ErrReserved, "ЅуѕtеМ": ErrReserved, "ΟΡΕRΑΤΟR": ErrReserved, "ЅУЅТЕМ": ErrReserved, "0perator": ErrReserved, "Οperatοr": ErrReserved,
		"ᴏᴘᴇʀᴀᴛᴏʀ": ErrReserved, "ꜱᴇʀᴠᴇʀ": ErrReserved, "Sérver": ErrReserved, "Ser\u0323ver": ErrReserved, "S e r-v_er": ErrReserved, "Ѕystem": ErrReserved,
	} {
		if err := CheckNewName(name); !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("%q: %v, want %v", name, err, want)
		}
	}
}
