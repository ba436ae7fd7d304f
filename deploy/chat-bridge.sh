#!/bin/sh
# Bridges the chat of a world that is open on this machine to another chat: what is said
# goes to a webhook (Discord's form), lines that are written to a FIFO are said in the world.
# Usage: chat-bridge.sh WEBHOOK FIFO [ADDRESS]
set -eu
webhook=$1 fifo=$2
[ -p "$fifo" ] || mkfifo "$fifo"
voxelpopuli console --json --follow "${3:-127.0.0.1:4747}" <>"$fifo" |
while read -r event; do
  case $event in
  '{"event":"chat"'* | '{"event":"join"'* | '{"event":"leave"'* | '{"event":"death"'*)
    curl -fsS -o /dev/null -H 'Content-Type: application/json' \
      -d "{\"content\":${event##*,\"line\":}" "$webhook" || true ;;
  esac
done
