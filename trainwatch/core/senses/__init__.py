"""What rules must remember of the iterations that went by: small, robust, kept in the store."""
