package main

import (
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// TestCompose reads deploy/compose.yaml as Compose does, which refuses what it does not know.
func TestCompose(t *testing.T) {
	project, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir: "../../deploy", ConfigFiles: []types.ConfigFile{{Filename: "../../deploy/compose.yaml"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	kappa, err := project.GetService("kappa")
	if err != nil {
		t.Fatal(err)
	}
	if kappa.Image != "kappa:0.1.0" || len(kappa.Ports) != 1 || kappa.Ports[0].HostIP != "127.0.0.1" || len(kappa.Secrets) != 1 || kappa.Volumes[0].Target != "/var/lib/kappa" {
		t.Errorf("the service is %+v", kappa)
	}
}
