// SPDX-License-Identifier: Apache-2.0

// A script for QEMU: migrates through DigitalOcean's client, and ends the source. Arguments: the
// socket of the source, and the URI of the destination.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/digitalocean/go-qemu/qmp"
)

func run(monitor *qmp.SocketMonitor, command string, arguments interface{}, answer interface{}) {
	bytes, err := json.Marshal(qmp.Command{Execute: command, Args: arguments})
	if err == nil {
		bytes, err = monitor.Run(bytes)
	}
	if err == nil && answer != nil {
		err = json.Unmarshal(bytes, &struct{ Return interface{} }{answer})
	}
	if err != nil {
		log.Fatalf("%s: %v", command, err)
	}
}

func main() {
	monitor, err := qmp.NewSocketMonitor("unix", os.Args[1], 10*time.Second)
	if err == nil {
		err = monitor.Connect()
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("version", monitor.Version)
	events, err := monitor.Events(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	ended := make(chan bool)
	go func() {
		for event := range events {
			fmt.Println("event", event.Event, event.Data["status"])
			if event.Data["status"] == "completed" {
				ended <- true
			}
		}
	}()
	var status struct{ Status string }
	run(monitor, "query-status", nil, &status)
	fmt.Println("status", status.Status)
	if _, err := monitor.Run([]byte(`{"execute": "device_add"}`)); err != nil {
		fmt.Println("refused", err)
	}
	run(monitor, "migrate-set-capabilities", map[string]interface{}{
		"capabilities": []map[string]interface{}{{"capability": "events", "state": true}},
	}, nil)
	run(monitor, "migrate", map[string]interface{}{"uri": os.Args[2]}, nil)
	<-ended
	var migration struct {
		Status string
		RAM    struct{ Remaining int64 }
	}
	run(monitor, "query-migrate", nil, &migration)
	fmt.Println(migration.Status, migration.RAM.Remaining)
	run(monitor, "query-status", nil, &status)
	fmt.Println("status", status.Status)
	run(monitor, "quit", nil, nil)
}
