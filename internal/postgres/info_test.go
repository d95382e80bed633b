package postgres_test

import (
	"strings"
	"testing"
)

func TestInfo(t *testing.T) {
	s, _ := newStore(t)
	info := s.Info(t.Context())
	if !info.Connected || info.Version == nil || info.Error != nil || info.Database == "" || !strings.HasPrefix(info.URI, "postgresql://"+info.User+"@") {
		t.Errorf("%+v", info)
	}
	s.Close()
	if info := s.Info(t.Context()); info.Connected || info.Error == nil {
		t.Errorf("a closed one says %+v", info)
	}
}
