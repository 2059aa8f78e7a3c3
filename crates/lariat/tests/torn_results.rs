//! Results with changed bytes: the reader of claims says what is wrong or the checker rejects; nothing panics, and nothing
//! that differs from the original in meaning is accepted as the original's verdict about another system.

use lariat_check::{System, check};
use lariat_ir::random::Random;
use lariat_ir::{claim, lts};
use lariat_session::document::{from_data, to_data};
use lariat_session::{Settings, analyze};
use lariat_smt::{Limit, Z3Solver};

#[test]
fn torn_certificates_never_panic() {
    let sources = [
        include_str!("../../../examples/zune.lts"),
        include_str!("../../../tests/lts/two-measures.lts"),
        include_str!("../../../tests/lts/input-decides.lts"),
    ];
    let mut random = Random::new(1);
    let (mut read, mut accepted) = (0, 0);
    for source in sources {
        let ts = lts::parse(source).expect("a system").system;
        let analysis = analyze(&ts, &Settings::default()).expect("the guards are total");
        let system =
            System::verify(&ts, &mut Z3Solver::new().direct(), Limit::default()).expect("the guards are total");
        let proof = analysis.program.expect("the verdict has a proof");
        let text = from_data(&claim::to_data(&ts, proof.claim())).to_string();
        let alphabet = b"{}[]\",:0123456789abxyz #()<>=!&|+-";
        for _ in 0..5000 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                match random.below(4) {
                    0 => bytes.truncate(at.max(1)),
                    1 => drop(bytes.remove(at)),
                    2 => bytes.insert(at, alphabet[random.below(alphabet.len())]),
                    _ => bytes[at] = alphabet[random.below(alphabet.len())],
                }
                if bytes.is_empty() {
                    bytes.push(b'{');
                }
            }
            let Ok(json) = serde_json::from_slice(&bytes) else { continue };
            let Ok(data) = to_data(&json) else { continue };
            let Ok(torn) = claim::from_data(&ts, &data) else { continue };
            read += 1;
            if check(&system, &torn, &mut Z3Solver::new().direct(), Limit::default()).is_ok() {
                accepted += 1;
                assert_eq!(torn.system, system.hash());
            }
        }
    }
    assert!(read > 100, "too few torn certificates could be read for the checker to see any: {read}");
    assert!(accepted < read, "a checker that accepts everything is none");
}
