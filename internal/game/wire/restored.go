package wire

import (
	"strconv"
	"time"
)

// A region that has lost its hosts tells its players of when the copy is with which it
// began. Its new host may lie, and a line of the system is believed: so it gives only the
// time, and the node of the player writes the line.

// TimeText is a time as people read it.
func TimeText(unix int64) string { return time.Unix(unix, 0).UTC().Format("2006-01-02 15:04:05 UTC") }

const endOfTime = 253402300800 // Unix seconds of the year 10000

// RestoredChat is what the player reads; seconds is the text of the region's Notice. It is
// nil if that is no time.
func RestoredChat(seconds string) *Chat {
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || at < 0 || at >= endOfTime {
		return nil
	}
	return &Chat{Kind: ChatSystem, Text: "This region lost its hosts. It was restored to its state of " + TimeText(at) + "."}
}

// UnconfirmedChat is what the player reads if no other host of the region confirms that
// this is what its hosts had signed.
func UnconfirmedChat() *Chat {
	return &Chat{Kind: ChatSystem, Text: "No other node confirms that this is the state that the lost hosts of the region had signed."}
}
