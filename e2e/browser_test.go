package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	patience = 90 * time.Second // for anything that is waited for, on a slow machine
	poll     = 100 * time.Millisecond
)

// state is what `vp.state()` of the page tells (web/src/hook.ts).
type state struct {
	Stage        string
	Ready        bool
	Link         string
	Gateway      string
	Entrances    int
	Stalled      bool
	Dead         bool
	Health, Food int
	Locked       bool
	Active       bool
	Error        string
	Name         string
	Pos          [3]float64
	Yaw          float64
	Pitch        float64
	OnGround     bool
	Mode         int
	Entities     []entity
	Target       *target
	TargetEntity *int
	Chat         []line
	Players      []string
	Hotbar       []slot
	Selected     int
	Container    []slot // of what is open; nil: nothing is
	Columns      int
	Meshed       int
	FPS          float64
	Garbage      int
	Time         float64
	RTT          float64
	Digging      float64
	Corrected    int `json:"corrections"`
}

type entity struct {
	ID   int
	Kind int
	Name string
	Pos  [3]float64
}

type target struct{ X, Y, Z, Face, Block int }

type line struct {
	Kind       int
	From, Text string
}

type slot struct{ Block, Count int }

// player is a person at a browser of their own.
type player struct {
	t       *testing.T
	name    string
	profile string
	look    string                         // settings of the page as JSON
	w, h    int                            // of the window
	flags   []chromedp.ExecAllocatorOption // besides the usual ones
	ctx     context.Context
	quit    func()
	errors  []string // exceptions on the page
}

func chromium(t *testing.T) string {
	for _, name := range []string{"/usr/lib/chromium/chromium", "chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium found: ./check installs it")
	return ""
}

// plainLook is what software renders fast.
const plainLook = `{"viewDistance": 3, "farDistance": 0, "quality": "low", "clouds": false}`

// newPlayer starts a browser. Its profile is kept, so that it can be closed
// and opened again.
func newPlayer(t *testing.T, name string) *player {
	return newLooker(t, name, 960, 540, plainLook)
}

// newLooker is newPlayer with a window and settings of its own. Software
// rendering carries little: pictures take patience.
func newLooker(t *testing.T, name string, w, h int, look string) *player {
	p := &player{t: t, name: name, profile: profile(t), look: look, w: w, h: h}
	p.start()
	return p
}

// start launches the browser, which ends with the test.
func (p *player) start() {
	p.launch()
	p.t.Cleanup(func() { p.quit() })
}

// profile is a folder for a browser. It is not t.TempDir: Chromium's processes may
// write into it for a moment after the browser has ended, and then it cannot be
// removed yet.
func profile(t *testing.T) string {
	dir, err := os.MkdirTemp("", "voxelpopuli-profile-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for end := time.Now().Add(patience); ; time.Sleep(poll) {
			err := os.RemoveAll(dir)
			if err == nil {
				return
			}
			if time.Now().After(end) {
				t.Error("a browser does not let go of its profile: ", err)
				return
			}
		}
	})
	return dir
}

func (p *player) launch() {
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium(p.t)),
		chromedp.UserDataDir(p.profile),
		chromedp.WindowSize(p.w, p.h),
		chromedp.Flag("headless", "new"),
		chromedp.Flag("no-sandbox", true),
		chromedp.Flag("use-angle", "swiftshader"),
		chromedp.Flag("enable-unsafe-swiftshader", true),
		chromedp.Flag("mute-audio", true),
	)
	opts = append(opts, p.flags...)
	alloc, stopAlloc := chromedp.NewExecAllocator(context.Background(), opts...)
	// chromedp complains about events that are newer than it.
	ctx, stopTab := chromedp.NewContext(alloc, chromedp.WithErrorf(func(string, ...any) {}))
	p.ctx = ctx
	p.quit = func() { stopTab(); stopAlloc() }
	chromedp.ListenTarget(ctx, func(ev any) {
		if e, ok := ev.(*runtime.EventExceptionThrown); ok {
			p.errors = append(p.errors, e.ExceptionDetails.Error())
		}
	})
	p.do("start the browser")
	p.do("set the size of the window", emulation.SetDeviceMetricsOverride(int64(p.w), int64(p.h), 1, false))
}

// do runs actions; what names them when they fail.
func (p *player) do(what string, actions ...chromedp.Action) {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, patience)
	if len(actions) == 0 { // the first Run starts the browser, which lives as long as its context
		ctx, stop = p.ctx, func() {}
	}
	defer stop()
	if err := chromedp.Run(ctx, actions...); err != nil {
		p.t.Fatalf("%s could not %s: %v\n%v", p.name, what, err, p.errors)
	}
}

// eval evaluates an expression of the page into out.
func (p *player) eval(expr string, out any) {
	p.t.Helper()
	p.do("evaluate "+expr, chromedp.Evaluate(expr, out))
}

// open loads the page, the first time with the player's settings.
func (p *player) open(url string) {
	p.t.Helper()
	settings := `if (location.protocol !== "about:" && !localStorage.getItem("voxelpopuli.settings")) localStorage.setItem("voxelpopuli.settings", ` + "`" + p.look + "`" + `);`
	// An address that differs only behind # would not be loaded again.
	p.do("open the page", chromedp.Navigate("about:blank"), chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(settings).Do(ctx)
		return err
	}), chromedp.Navigate(url), chromedp.WaitVisible("#name"))
}

// enter types the name and waits until the world is there.
func (p *player) enter() {
	p.t.Helper()
	p.eval("(document.querySelector('#name').value = '', 0)", nil)
	p.do("type a name", chromedp.SendKeys("#name", p.name))
	p.do("press play", chromedp.Click("#play"))
	p.ready()
}

func (p *player) state() (s state) {
	p.t.Helper()
	var raw json.RawMessage
	p.eval("window.vp ? vp.state() : {}", &raw)
	if err := json.Unmarshal(raw, &s); err != nil {
		p.t.Fatalf("%v in %s", err, raw)
	}
	return s
}

// until waits for a condition and returns the state that met it.
func (p *player) until(what string, ok func(state) bool) state {
	p.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(poll) {
		s := p.state()
		if ok(s) {
			return s
		}
		if time.Now().After(end) {
			p.shot("failed-" + p.name)
			var open []string // what may have the mouse
			p.eval("[...document.querySelectorAll('dialog[open], .chat-form, .lock-prompt')].filter((e) => e.checkVisibility()).map((e) => e.className + ': ' + e.textContent)", &open)
			p.t.Fatalf("%s waited in vain: %s\nlast state: %+v\nopen: %q, focused: %t\nexceptions: %v", p.name, what, s, open, p.focused(), p.errors)
		}
	}
}

// focused reports whether the page has the focus: without it no mouse is caught.
func (p *player) focused() (is bool) {
	p.t.Helper()
	p.eval("document.hasFocus()", &is)
	return is
}

func (p *player) ready() state {
	p.t.Helper()
	return p.until("to be in the world", func(s state) bool { return s.Ready })
}

// play makes sure that the mouse is caught, by clicking if need be.
func (p *player) play() {
	p.t.Helper()
	p.until("to have the mouse caught", func(s state) bool {
		if s.Active {
			return true
		}
		p.do("click into the view", chromedp.MouseClickXY(float64(p.w)/2, float64(p.h)/3))
		return false
	})
}

// key presses a key for as long as the condition is not met.
func (p *player) key(key, what string, ok func(state) bool) state {
	p.t.Helper()
	p.do("press "+key, p.keyEvent(key, input.KeyDown))
	defer p.do("release "+key, p.keyEvent(key, input.KeyUp))
	return p.until(what, ok)
}

func (p *player) keyEvent(key string, kind input.KeyType) chromedp.Action {
	k := kb.Keys[[]rune(key)[0]]
	return input.DispatchKeyEvent(kind).WithKey(k.Key).WithCode(k.Code).WithNativeVirtualKeyCode(k.Native).WithWindowsVirtualKeyCode(k.Windows)
}

func (p *player) tap(key string) {
	p.t.Helper()
	p.do("tap "+key, p.keyEvent(key, input.KeyDown), p.keyEvent(key, input.KeyUp))
}

// onePress is how long a button is held before it is pressed again: a busy browser may lose a
// press.
const onePress = 10 * time.Second

// mouse presses a button for as long as the condition is not met.
func (p *player) mouse(b input.MouseButton, ok func() bool) {
	p.t.Helper()
	for end := time.Now().Add(patience); !ok() && time.Now().Before(end); {
		p.press(b, ok, onePress)
	}
}

// tries aims and presses a button, again and again until the condition is met.
func (p *player) tries(b input.MouseButton, ok func() bool, aim func()) {
	p.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		aim()
		if p.press(b, ok, onePress); ok() {
			return
		}
	}
}

// press holds a button until the condition is met, or for so long.
func (p *player) press(b input.MouseButton, ok func() bool, long time.Duration) {
	p.t.Helper()
	at := func(kind input.MouseType) chromedp.Action {
		return input.DispatchMouseEvent(kind, float64(p.w)/2, float64(p.h)/2).WithButton(b).WithClickCount(1)
	}
	p.do("press the mouse", at(input.MousePressed))
	defer p.do("release the mouse", at(input.MouseReleased))
	for end := time.Now().Add(long); !ok() && time.Now().Before(end); time.Sleep(poll) {
	}
}

func (p *player) lookAt(x, y, z float64) {
	p.t.Helper()
	p.eval(fmt.Sprintf("(vp.lookAt(%g, %g, %g), 0)", x, y, z), nil)
}

// block returns the block at a place as this browser has it, −1 if unknown.
func (p *player) block(x, y, z int) (b int) {
	p.t.Helper()
	p.eval(fmt.Sprintf("vp.block(%d, %d, %d)", x, y, z), &b)
	return b
}

// say types a line of chat.
func (p *player) say(text string) {
	p.t.Helper()
	p.play()
	p.tap("t")
	p.do("write "+text, chromedp.WaitVisible(".chat-form input"), chromedp.Focus(".chat-form input"), input.InsertText(text), chromedp.KeyEvent(kb.Enter))
	p.play()
}

// hears waits for a line of chat.
func (p *player) hears(from, text string) {
	p.t.Helper()
	p.until(fmt.Sprintf("to read %q of %q", text, from), func(s state) bool {
		for _, l := range s.Chat {
			if l.From == from && l.Text == text {
				return true
			}
		}
		return false
	})
}

// other returns another player as this browser shows it.
func (s state) other(name string) (entity, bool) {
	for _, e := range s.Entities {
		if e.Name == name {
			return e, true
		}
	}
	return entity{}, false
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt(sq(a[0]-b[0]) + sq(a[1]-b[1]) + sq(a[2]-b[2]))
}

func sq(x float64) float64 { return x * x }

// shot saves a picture of what the player sees, if pictures are wanted.
func (p *player) shot(name string) {
	if *shots == "" {
		return
	}
	p.t.Helper()
	var jpeg []byte
	p.do("take a picture", chromedp.ActionFunc(func(ctx context.Context) (err error) {
		jpeg, err = page.CaptureScreenshot().WithFormat(page.CaptureScreenshotFormatJpeg).WithQuality(88).Do(ctx)
		return err
	}))
	if err := os.WriteFile(filepath.Join(*shots, name+".jpg"), jpeg, 0o644); err != nil {
		p.t.Error(err)
	}
}
