//! The trees of claims and certificates, to and from JSON.

use lariat_ir::Data;
use serde_json::Value as Json;

/// A tree as JSON.
pub fn from_data(d: &Data) -> Json {
    match d {
        Data::Text(t) => Json::from(t.as_str()),
        Data::List(items) => items.iter().map(from_data).collect(),
        Data::Record(fields) => Json::Object(fields.iter().map(|(k, v)| (k.clone(), from_data(v))).collect()),
    }
}

/// A tree from JSON; numbers, truth values and null have no place in one.
pub fn to_data(j: &Json) -> Result<Data, String> {
    match j {
        Json::String(t) => Ok(Data::text(t.as_str())),
        Json::Array(items) => Ok(Data::List(items.iter().map(to_data).collect::<Result<_, _>>()?)),
        Json::Object(fields) => {
            Ok(Data::Record(fields.iter().map(|(k, v)| Ok((k.clone(), to_data(v)?))).collect::<Result<_, String>>()?))
        }
        other => Err(format!("a certificate holds texts, lists and records, not `{other}`")),
    }
}
