package top

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

// screen is what the user sees, and where he is in it.
type screen struct {
	ctx    context.Context //nolint:containedctx // of the program, whose functions take none
	server Server
	name   string
	paint  show.Paint
	now    func() time.Time

	board         *board
	width, height int
	order         string
	filter        string
	chosen        string // the id of a job; "" is the first
	mode          mode
	wait          *work.JobWait // why the opened job waits
	said          string        // how the last act went
	failure       error         // why the server cannot be shown
}

// mode is what keys do.
type mode int

const (
	modeList   mode = iota
	modeFilter      // they write the filter
	modeOpen        // a job is open
	modeCancel      // whether a job is to be cancelled
	modeHelp
)

func newScreen(ctx context.Context, cfg Config) *screen {
	const columns, lines = 80, 24 // until the terminal has said
	return &screen{ctx: ctx, server: cfg.Server, name: cfg.Name, paint: cfg.Screen.Paint(), now: time.Now, board: newBoard(), width: columns, height: lines, order: cfg.Order, filter: cfg.Filter}
}

// Init begins to count the seconds.
func (s *screen) Init() tea.Cmd { return eachSecond() }

func eachSecond() tea.Cmd {
	return tea.Tick(time.Second, func(t time.Time) tea.Msg { return secondMsg(t) })
}

// Update takes a message.
func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch m := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = m.Width, m.Height
	case newsMsg:
		for _, n := range m {
			s.board.apply(n, s.now())
		}
	case endedMsg:
		s.failure = m.err
		return s, tea.Quit
	case secondMsg:
		s.board.tidy(s.now())
		return s, eachSecond()
	case waitMsg:
		if m.err == nil && m.wait.JobID == s.chosen {
			s.wait = &m.wait
		}
	case cancelledMsg:
		s.said = "Cancelled " + m.jobID
		if m.err != nil {
			s.said = fmt.Sprintf("%s is not cancelled: %s", m.jobID, show.OneLine(m.err.Error()))
		}
	case tea.KeyPressMsg:
		return s, s.key(m)
	}
	return s, nil
}

// key does what a key is for.
func (s *screen) key(k tea.KeyPressMsg) tea.Cmd {
	pressed := k.String()
	if pressed == "ctrl+c" {
		return tea.Quit
	}
	switch s.mode {
	case modeFilter:
		s.write(k)
		return nil
	case modeCancel:
		s.mode = modeList
		if pressed == "y" {
			return s.cancel(s.chosen)
		}
		return nil
	case modeHelp:
		s.mode = modeList
		return nil
	case modeOpen:
		if pressed == "esc" || pressed == "enter" || pressed == "left" {
			s.mode = modeList
			return nil
		}
	}
	return s.command(pressed)
}

// command does what a key is for in the list, and beside an opened job.
func (s *screen) command(pressed string) tea.Cmd {
	s.said = ""
	page := max(1, s.height/2) //nolint:mnd // half a screen
	switch pressed {
	case "q":
		return tea.Quit
	case "?", "h":
		s.mode = modeHelp
	case "up", "k":
		return s.move(-1)
	case "down", "j":
		return s.move(1)
	case "pgup":
		return s.move(-page)
	case "pgdown":
		return s.move(page)
	case "home", "g":
		return s.move(-len(s.board.jobs))
	case "end", "G":
		return s.move(len(s.board.jobs))
	case "s":
		s.order = orders[(slices.Index(orders, s.order)+1)%len(orders)]
	case "/":
		s.mode = modeFilter
	case "esc":
		s.filter = ""
	case "enter", "right":
		if s.settle(); s.chosen != "" {
			s.mode = modeOpen
			return s.ask(s.chosen)
		}
	case "c":
		if r := s.settle(); r != nil && !r.Status.Terminal() {
			s.mode = modeCancel
		}
	}
	return nil
}

// write changes the filter.
func (s *screen) write(k tea.KeyPressMsg) {
	switch pressed := k.String(); pressed {
	case "enter":
		s.mode = modeList
	case "esc":
		s.mode, s.filter = modeList, ""
	case "backspace":
		if r := []rune(s.filter); len(r) > 0 {
			s.filter = string(r[:len(r)-1])
		}
	case "ctrl+u":
		s.filter = ""
	default:
		s.filter += show.Printable(k.Text)
	}
}

// settle makes sure that the chosen job is one that is shown, and returns it; nil when there is none.
func (s *screen) settle() *row {
	list := s.board.list(s.order, s.filter)
	if i := slices.IndexFunc(list, func(r *row) bool { return r.ID == s.chosen }); i >= 0 {
		return list[i]
	}
	if s.chosen = ""; len(list) == 0 {
		return nil
	}
	s.chosen = list[0].ID
	return list[0]
}

// move chooses another job.
func (s *screen) move(by int) tea.Cmd {
	s.settle()
	list := s.board.list(s.order, s.filter)
	i := slices.IndexFunc(list, func(r *row) bool { return r.ID == s.chosen })
	if i < 0 {
		return nil
	}
	s.chosen = list[min(max(i+by, 0), len(list)-1)].ID
	if s.mode == modeOpen {
		return s.ask(s.chosen)
	}
	return nil
}

// ask has the server say why a job waits.
func (s *screen) ask(jobID string) tea.Cmd {
	s.wait = nil
	return func() tea.Msg {
		wait, err := s.server.Wait(s.ctx, jobID)
		return waitMsg{wait, err}
	}
}

// cancel cancels a job.
func (s *screen) cancel(jobID string) tea.Cmd {
	s.said = "Cancelling " + jobID + " …"
	return func() tea.Msg {
		_, err := s.server.Cancel(s.ctx, jobID)
		return cancelledMsg{jobID, err}
	}
}

// View draws the screen.
func (s *screen) View() tea.View {
	lines := s.lines()
	for i, line := range lines {
		lines[i] = show.Fit(line, s.width)
	}
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen = true
	return v
}
