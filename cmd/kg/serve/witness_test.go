package serve

import (
	"net"
	"path/filepath"
	"testing"

	"github.com/kappagraph/kappa/work"
)

func TestWitness(t *testing.T) {
	t.Parallel()
	if witness("") != nil {
		t.Error("without a path somebody is told")
	}
	path := filepath.Join(t.TempDir(), "w")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	check(t, err)
	defer conn.Close()
	check(t, witness(path)(t.Context(), work.Claim{JobID: "job_1", Token: 7}, "2"))
	buf := make([]byte, 100)
	n, err := conn.Read(buf)
	if got := string(buf[:n]); err != nil || got != "job_1 2 7" {
		t.Errorf("the witness read %q, %v", got, err)
	}
}
