#!/bin/bash
# Example: Writing a message atomically

RELAY_DIR="$HOME/.agent-relay"
AGENT_NAME="${AGENT_RELAY_NAME:-myagent}"
OUTBOX="$RELAY_DIR/agents/$AGENT_NAME/outbox"
PENDING="$OUTBOX/.pending"

# Ensure directories exist
mkdir -p "$PENDING"

# Generate unique filename
TIMESTAMP=$(date +%s%N)
UUID=$(head -c 4 /dev/urandom | xxd -p)
FILENAME="${TIMESTAMP}-${UUID}.msg"

# Write to temp file
TEMP_FILE="$PENDING/$FILENAME"
cat > "$TEMP_FILE" << 'EOF'
TO: Lead

ACK: Task received and understood.
EOF

# Sync to disk
sync "$TEMP_FILE"

# Atomic rename to final location
mv "$TEMP_FILE" "$OUTBOX/$FILENAME"

# Sync parent directory
sync "$OUTBOX"

echo "Message written: $FILENAME"
