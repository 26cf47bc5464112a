"""Topics of Kafka, read partition by partition without a consumer group."""
