package show

import (
	"fmt"
	"time"

	"github.com/kappagraph/kappa"
)

// Span shows a duration as 320 ms, 4.2 s, 3 min 20 s, 5 h 10 min or 3 d 4 h.
func Span(d time.Duration) string {
	switch {
	case d < 0:
		return "0 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d d %d h", int(d.Hours())/24, int(d.Hours())%24)
}

// Age says how long ago an instant is, in its largest unit.
func Age(t time.Time) string {
	switch d := max(time.Since(t), 0); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	default:
		return fmt.Sprintf("%d d", int(d.Hours())/24)
	}
}

// When shows an instant in the local zone and how long ago it is.
func When(t *kappa.Time) string {
	if t == nil || t.IsZero() {
		return ""
	}
	relative := "just now"
	switch ago := time.Since(t.Time); {
	case ago <= -time.Second:
		relative = "in " + Span(-ago)
	case ago >= time.Second:
		relative = Span(ago) + " ago"
	}
	return t.Local().Format(time.DateTime) + " (" + relative + ")"
}
