import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Sends the patches that a Fuseki with primary.ttl writes to a topic of Kafka, in their order, each as one message:
 *
 *   java -cp kafka-clients.jar:... ShipPatches.java localhost:9092 vocabularies .fuseki/run/patches
 *
 * The file "sent" beside the patches has the number of the last one that Kafka has accepted. After a kill this may send one patch
 * twice; applying a patch again changes nothing. You may delete patches that were sent, except the last: Fuseki goes on from its
 * number.
 */
public class ShipPatches {
    static final int MOST_BYTES = 100 << 20;

    public static void main(String[] args) throws Exception {
        String topic = args[1];
        Path folder = Path.of(args[2]);
        Path sent = folder.resolve("sent");
        long last = Files.exists(sent) ? Long.parseLong(Files.readString(sent).trim()) : 0;
        Properties settings = new Properties();
        settings.putAll(Map.of(
            "bootstrap.servers", args[0],
            // All replicas of the topic that are in step accept a message once, in the order of sending.
            "acks", "all",
            "enable.idempotence", "true",
            "max.request.size", String.valueOf(MOST_BYTES),
            "key.serializer", "org.apache.kafka.common.serialization.StringSerializer",
            "value.serializer", "org.apache.kafka.common.serialization.ByteArraySerializer"));
        try (KafkaProducer<String, byte[]> producer = new KafkaProducer<>(settings)) {
            while (true) {
                Path patch = folder.resolve("patch.%04d".formatted(last + 1));
                byte[] bytes = Files.exists(patch) ? Files.readAllBytes(patch) : new byte[0];
                // TC ends a patch that was committed, TA one that was not.
                boolean isCommitted = endsWith(bytes, "TC .\n");
                // A patch that a killed Fuseki has begun stays as it is; the next one has another number.
                boolean isOver = isCommitted || endsWith(bytes, "TA .\n")
                    || Files.exists(folder.resolve("patch.%04d".formatted(last + 2)));
                if (!isOver) {
                    Thread.sleep(50);
                    continue;
                }
                if (isCommitted) {
                    ProducerRecord<String, byte[]> message = new ProducerRecord<>(topic, 0, null, bytes);
                    message.headers().add("Content-Type", "application/rdf-patch".getBytes());
                    producer.send(message).get();
                }
                last++;
                Path next = folder.resolve("sent.next");
                Files.writeString(next, last + "\n");
                Files.move(next, sent, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }

    static boolean endsWith(byte[] bytes, String end) {
        return bytes.length >= end.length()
            && new String(bytes, bytes.length - end.length(), end.length()).equals(end);
    }
}
