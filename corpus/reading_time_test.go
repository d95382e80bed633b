package corpus

import (
	"testing"
	"time"
)

func TestReadingTime(t *testing.T) {
	for _, c := range []struct {
		format ContentType
		bytes  int
		want   time.Duration
	}{{ContentPDF, 1 << 20, time.Minute}, {ContentPDF, 40 << 20, 3 * time.Minute}, {ContentDOCX, 40 << 20, time.Minute}} {
		if got := ReadingTime(time.Minute, c.format, c.bytes); got != c.want {
			t.Errorf("%s of %d bytes: got %v, want %v", c.format, c.bytes, got, c.want)
		}
	}
}
