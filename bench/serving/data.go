package serving

import (
	"context"
	"crypto/rand"
	"os"
)

// StartIn starts the program kg on a data directory below dir, which stays when the server is
// stopped: another one may be started on it with the password that is returned. With "" for the
// password the directory is new.
func StartIn(ctx context.Context, kg, dir, password string, settings ...string) (*Server, string, error) {
	if password == "" {
		if err := os.Chmod(dir, 0o755); err != nil { // another user runs the cluster when this one is root
			return nil, "", err
		}
		password = rand.Text()
	}
	s := &Server{}
	var err error
	if s.process, err = Run(kg, dir, append([]string{"KG_ADMIN_PASSWORD=" + password}, settings...)...); err != nil {
		return nil, "", err
	}
	if err := s.login(ctx, password); err != nil {
		s.process.Stop()
		return nil, "", err
	}
	return s, password, nil
}
