package serve

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/kappagraph/kappa/internal/remote"
	"github.com/kappagraph/kappa/work"
)

// remoteSettings are how workers on other machines are taken.
type remoteSettings struct {
	Secret    string // of their tokens; empty: they are refused
	OldSecret string
	RunKey    string // RSA key in PEM, or the file with it
	Types     string // with commas between
}

// table returns the settings of remote workers.
func (r *remoteSettings) table() []setting {
	return []setting{
		text("KG_WORKER_SECRET", "", "", fmt.Sprintf("secret that remote workers share, at least %d bytes; unset: they are refused", remote.MinSecret), &r.Secret).hidden(),
		text("KG_WORKER_SECRET_OLD", "", "", "the secret before it, which is accepted too", &r.OldSecret).hidden(),
		text("KG_RUN_KEY", "", "", "RSA key for the tokens of runs, as PEM or the file with it", &r.RunKey).without("derived from the secret").hidden(),
		text("KG_REMOTE_TYPES", strings.Join([]string{work.TypeOpenFnRun, work.TypeExtractChunk, work.TypeExec}, ","), "", "job types that remote workers take, with commas between", &r.Types),
	}
}

// check returns what is wrong with the settings of remote workers.
func (r *remoteSettings) check() (broken []error) {
	for _, secret := range []struct{ name, value string }{{"KG_WORKER_SECRET", r.Secret}, {"KG_WORKER_SECRET_OLD", r.OldSecret}} {
		if n := len(secret.value); n > 0 && n < remote.MinSecret {
			broken = append(broken, fmt.Errorf("%s: must have at least %d bytes, got %d", secret.name, remote.MinSecret, n))
		}
	}
	if r.OldSecret != "" && r.Secret == "" {
		broken = append(broken, errors.New("KG_WORKER_SECRET_OLD: needs KG_WORKER_SECRET"))
	}
	return broken
}

// key returns the key for the tokens of runs in PEM; nil without one.
func (r *remoteSettings) key() ([]byte, error) {
	if r.RunKey == "" || strings.HasPrefix(strings.TrimSpace(r.RunKey), "-----BEGIN") {
		return []byte(r.RunKey), nil
	}
	text, err := os.ReadFile(r.RunKey)
	if err != nil {
		return nil, fmt.Errorf("KG_RUN_KEY: %w", err)
	}
	return text, nil
}

// names returns the names of the types that remote workers take.
func (r *remoteSettings) names() []string {
	names := []string{}
	for _, t := range r.jobTypes() {
		names = append(names, t.Name)
	}
	return names
}

// jobTypes returns the types that remote workers take.
func (r *remoteSettings) jobTypes() []work.JobType {
	var types []work.JobType
	for name := range strings.SplitSeq(r.Types, ",") {
		switch name = strings.TrimSpace(name); name {
		case "":
		case work.TypeOpenFnRun:
			types = append(types, remote.NewOpenFnRun())
		default:
			types = append(types, remote.NewRemoteType(name))
		}
	}
	return types
}
