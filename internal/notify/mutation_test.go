package notify

import (
	"testing"
	"time"
)

// TestM04_WithoutSelfEchoADeafListenerSeemsWell blackholes the connections of two
// listeners, of which one sends no notifications to itself. The other one notices
// (Q22); it goes on as if it were well, and hears nothing. That a read after each
// connect is needed, too, is in TestFaultsControls for events and in package lanes
// for jobs.
func TestM04_WithoutSelfEchoADeafListenerSeemsWell(t *testing.T) {
	t.Parallel()
	store := newPGStore(t)
	heard := make(chan string, 10)
	start := func(every time.Duration) (*Listener, *proxy) {
		p := newProxy(t, store.dsn, nil)
		l, _ := startListener(t, p.DSN, map[string]func(string){ChannelLanes: func(payload string) { heard <- payload }},
			func(l *Listener) { l.every, l.deadline = every, time.Second })
		until(t, 10*time.Second, l.Connected)
		return l, p
	}
	probing, itsProxy := start(100 * time.Millisecond)
	silent, proxyOfSilent := start(time.Hour)
	itsProxy.set(proxyBlackholes)
	proxyOfSilent.set(proxyBlackholes)
	if err := store.notify(t.Context(), ChannelLanes, "interactive"); err != nil {
		t.Fatal(err)
	}
	until(t, 10*time.Second, func() bool { return !probing.Connected() })
	select {
	case payload := <-heard:
		t.Errorf("heard %q through a black hole", payload)
	default:
	}
	if s := silent.State(); !s.Connected || s.Error != "" {
		t.Errorf("without the notifications to itself: state %+v: nothing shows that they are needed", s)
	}
}
